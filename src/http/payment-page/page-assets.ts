import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../app.ts'

/** Addresses of the page's stylesheet and script under the service's own; they change with the contents. */
export type PageAssets = { readonly style: string; readonly script: string }

const serve = (app: App, name: string, type: string): string => {
  const content = readFileSync(join(import.meta.dirname, name))
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16)
  const path = `/assets/${hash}/${name}`
  app.get(path, { schema: { hide: true } }, (_request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').type(type).send(content),
  )
  return path
}

/** Serves the stylesheet and the script of the page, each to be kept for ever. */
export const servePageAssets = (app: App): PageAssets => ({
  style: serve(app, 'page.css', 'text/css; charset=utf-8'),
  script: serve(app, 'page.js', 'text/javascript; charset=utf-8'),
})
