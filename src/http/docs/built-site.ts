import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { html } from 'ghtml'
import { staticDocument } from '../routes/static-document.ts'
import type { Section } from './search-pages.ts'

/** A file that the build may have made. */
const filePath = /^(?:[\w-]{1,64}\/)*[\w-]{1,64}\.\w{1,8}$/

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

/** The address of an asset contains a hash of its content. */
const cacheControlOf = (path: string): string =>
  path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'

type Document = ReturnType<typeof staticDocument>

/** What has been read of a build. */
type Kept = { readonly documents: Map<string, Document>; sections?: readonly Section[] }

/** The documentation as it was built, with the address of this service in it. */
export class BuiltSite {
  readonly #folder: string
  readonly #gaps: Readonly<Record<string, string>>
  #build: string | undefined
  #kept: Kept = { documents: new Map() }

  /** In the files of the folder, `{url}` is the address of the service, and `{base}` the path of that. */
  constructor(folder: string, gaps: { readonly url: string; readonly base: string }) {
    this.#folder = folder
    this.#gaps = gaps
  }

  /** Whether it has been built. After another build, what was read before is read again. */
  async isBuilt(): Promise<boolean> {
    // For a moment while a build replaces another one, there is none.
    const build = (await this.#read('sources.sha256')) ?? this.#build
    if (build !== this.#build) this.#kept = { documents: new Map() }
    this.#build = build
    return build !== undefined
  }

  /** The text of a file; undefined if there is none. */
  async text(path: string): Promise<string | undefined> {
    const text = await this.#read(path)
    return text?.replace(/\{(url|base)\}/g, (_, gap: string) => {
      const words = this.#gaps[gap] ?? ''
      return path.endsWith('.html') ? html`${words}` : words
    })
  }

  /** A file to send; undefined if there is none. */
  async document(path: string): Promise<Document | undefined> {
    if (!filePath.test(path)) return undefined
    const { documents } = this.#kept
    const kept = documents.get(path)
    if (kept) return kept
    const text = await this.text(path)
    if (text === undefined) return undefined
    const document = staticDocument(Buffer.from(text), types[extname(path)] ?? '', cacheControlOf(path))
    documents.set(path, document)
    return document
  }

  /** The sections of all pages, for the search. */
  async sections(): Promise<readonly Section[]> {
    const kept = this.#kept
    kept.sections ??= JSON.parse((await this.text('sections.json')) ?? '[]') as readonly Section[]
    return kept.sections
  }

  #read(path: string): Promise<string | undefined> {
    return readFile(join(this.#folder, path), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
  }
}
