import { mount } from 'svelte';
import Inspector from './Inspector.svelte';
import '../ui/app.css';

mount(Inspector, { target: document.body });
