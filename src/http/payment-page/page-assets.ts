import { Type } from '../../operations/schema.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from '../../engine/context.ts'
import { Refusal } from '../../rules/refusal.ts'
import { findLogo } from '../../engine/merchants/read.ts'
import { merchantDirectory } from '../../engine/merchants/merchant-directory.ts'
import type { App } from '../routes/app.ts'
import { staticDocument } from '../routes/static-document.ts'
import { accentStyle } from './accent.ts'
import type { CheckLimits } from './page-limits.ts'

/** Paths of the page's stylesheet and script, relative to the service's; they change with the contents. */
export type PageAssets = { readonly style: string; readonly script: string | undefined }

/** Path of the stylesheet with a merchant's colour, `#rrggbb`. */
export const accentPath = (colour: string): string => `/assets/accent/${colour.slice(1).toLowerCase()}.css`

/** Path of a merchant's logo by its hash. */
export const logoPath = (hash: string): string => `/assets/logo/${hash}`

const keep = 'public, max-age=31536000, immutable'
const options = { schema: { hide: true } }

// Removes only indentation and comments on lines of their own: neither file has a text that spans lines.
const strip = (text: string): string =>
  text
    .replace(/^\s*\/\*[\s\S]*?\*\/\n/gm, '')
    .replace(/^\s*\/\/.*\n/gm, '')
    .replace(/^\s+/gm, '')

// Also removes spaces around punctuation, a tenth of the file. Its only texts are empty, so none changes.
const stripStyle = (text: string): string =>
  strip(text)
    .replace(/(?<=[{};,:>])\s+|\s+(?=[{>])/g, '')
    .replace(/;(?=\})|(?<=[\s:,(-])0(?=\.\d)/g, '')
    .replace(/ \+ (?=\.?[a-z])/g, '+')

// Also removes spaces around punctuation outside of texts, and line ends after an opening and before a closing one; the
// others stay, because they end statements. Our scripts have no text that contains its own quotation mark, and no
// comment after code.
const stripScript = (text: string): string =>
  strip(text)
    .split(/('[^'\n]*'|`[^`\n]*`)/)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : part.replace(/ ?([=+*<>!?:,{}()[\]|&]) ?/g, '$1').replace(/(?<=[=?:,{([|&])\n|\n(?=[?:})\]|&.])/g, ''),
    )
    .join('')

// Not by @fastify/static, which would read folders and send ranges for a few files.
const serve = (app: App, names: readonly string[], type: string, squeeze: (text: string) => string): string => {
  const contents = names.map((name) => Buffer.from(squeeze(readFileSync(join(import.meta.dirname, name), 'utf8'))))
  // Scripts that load each other share a folder, whose name changes with each of them.
  const { hash } = staticDocument(Buffer.concat(contents), type, keep)
  for (const [index, content] of contents.entries()) {
    app.get(`/assets/${hash}/${names[index]}`, options, staticDocument(content, type, keep).send)
  }
  return `/assets/${hash}/${names[0]}`
}

/** Serves the page's stylesheet and script, merchants' colours and logos; browsers may keep each forever. */
export const servePageAssets = (app: App, context: Context, checkLimits: CheckLimits): PageAssets => {
  app.get(
    '/assets/accent/:file',
    { schema: { hide: true, params: Type.Object({ file: Type.String() }) } },
    (request, reply) => {
      const [, colour] = /^([0-9a-f]{6})\.css$/.exec(request.params.file) ?? []
      if (colour === undefined) throw new Refusal('route_not_found', 'There is no such colour.')
      return reply
        .header('cache-control', keep)
        .type('text/css; charset=utf-8')
        .send(accentStyle(`#${colour}`))
    },
  )
  app.get(
    '/assets/logo/:hash',
    { schema: { hide: true, params: Type.Object({ hash: Type.String() }) }, onRequest: checkLimits },
    async (request, reply) => {
      const { hash } = request.params
      // An unknown hash costs no query.
      const profiles = (await context.catalog.get(merchantDirectory)).values()
      const isKnown = profiles.some((profile) => profile.logo?.hash === hash)
      const logo = isKnown ? await findLogo(context, hash) : undefined
      if (!logo) throw new Refusal('route_not_found', 'There is no such logo.')
      return reply.header('cache-control', keep).type(logo.contentType).send(logo.content)
    },
  )
  return {
    style: serve(app, ['page.css'], 'text/css; charset=utf-8', stripStyle),
    script: serve(app, ['page.js', 'receipt-file.js', 'phone-field.js'], 'text/javascript; charset=utf-8', stripScript),
  }
}
