// The package has no types of its own.
declare module 'gltf-validator' {
  interface Report {
    issues: { messages: { code: string; message: string; pointer: string }[] };
    info: { totalTriangleCount: number };
  }
  export function validateBytes(bytes: Uint8Array, options?: { maxIssues?: number }): Promise<Report>;
}
