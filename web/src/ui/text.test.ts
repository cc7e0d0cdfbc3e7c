import { expect, test } from 'vitest';
import { brief, bytes, count, phrases, plural, sentence, words } from './text';

test('keys become words', () => {
  expect(words('Furniture_Village_Chest_Small')).toBe('Furniture Village Chest Small');
  expect(words('*Plant_Crop_Potato_Block_State_Definitions_Stage1')).toBe('Plant Crop Potato Block (Stage1)');
  expect(words('ItemContainer')).toBe('Item Container');
  expect(words('mod:Glow_Stone')).toBe('Glow Stone');
  expect(words('_')).toBe('_');
});

test('messages of a program become sentences', () => {
  expect(sentence('no such height')).toBe('No such height.');
  expect(sentence('Is it there?')).toBe('Is it there?');
  expect(sentence(' ')).toBe('');
  expect(sentence('orbis verify WORLD says what is wrong')).toBe('orbis verify WORLD says what is wrong.');
});

test('commands stand out from the words around them', () => {
  const commands = (text: string): string[] => phrases(text).flatMap((part) => (part.code ? [part.text] : []));
  expect(commands('orbis verify WORLD says it, and orbis repair WORLD --from BACKUP takes it.')).toEqual(['orbis verify WORLD', 'orbis repair WORLD --from BACKUP']);
  expect(commands('Start it with orbis up; or orbis map /srv/world. Then look.')).toEqual(['orbis up', 'orbis map /srv/world']);
  expect(commands('Run it as the owner.')).toEqual([]);
  const text = 'Say orbis up again.';
  expect(phrases(text).map((part) => part.text).join('')).toBe(text);
});

test('numbers are short and grouped', () => {
  expect([0, 999, 1000, 12_345, 123_456, 2.5e9].map(brief)).toEqual(['0', '999', '1k', '12.3k', '123k', '2.5G']);
  expect([0, 1023, 1024, 5_000_000].map(bytes)).toEqual(['0 B', '1023 B', '1.0 KiB', '4.8 MiB']);
  expect(count(1234567)).toBe('1,234,567');
  expect([plural(1, 'tile'), plural(2, 'tile')]).toEqual(['1 tile', '2 tiles']);
});
