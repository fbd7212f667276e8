/** What is used of it; the types of Node.js leave it to those of browsers. */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer
  }
  const Module: new (bytes: Uint8Array) => object
  const Instance: new (
    module: object,
    imports: Record<string, Record<string, () => number>>,
  ) => { readonly exports: Record<string, unknown> }
}
