// Imports of these files, which the build replaces.
declare module '*.css'

interface ImportMeta {
  /** What loads each file of this pattern, by its path. */
  readonly glob: <Content>(
    pattern: string,
    options: { readonly import: 'default' },
  ) => Readonly<Record<string, () => Promise<Content>>>
}
