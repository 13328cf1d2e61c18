import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../rules/refusal.ts'
import { pageNonce } from '../../secrets/one-time-token.ts'
import type { App } from '../routes/app.ts'

/** Where `console/build-console.ts` puts the console. */
const built = resolve(import.meta.dirname, '..', '..', '..', 'console', 'dist')

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

/** The name of a file that the build may have made: no folders, and no dots but those before its endings. */
const fileName = /^[\w-]+(?:\.[\w-]+)*\.(?<ending>[a-z0-9]+)$/
const codings = [
  ['br', 'br', /\bbr\b(?!;q=0)/],
  ['gzip', 'gz', /\bgzip\b(?!;q=0)/],
] as const

const readBuilt = (...path: string[]): Promise<Buffer | undefined> =>
  readFile(join(built, ...path)).catch(() => undefined)

/** The console's page as it was built; undefined if it has not been built yet. */
const readConsolePage = async (): Promise<string | undefined> => (await readBuilt('index.html'))?.toString()

/**
 * Sends a script, style or picture of the console, in the best encoding that the browser accepts. Its name contains a
 * hash of its content, so browsers may keep it forever. Returns false if there is no such file.
 */
const sendConsoleFile = async (request: FastifyRequest, reply: FastifyReply, name: string): Promise<boolean> => {
  const type = types[fileName.exec(name)?.groups?.['ending'] ?? '']
  if (type === undefined) return false
  const accepted = request.headers['accept-encoding'] ?? ''
  const [coding, ending] = codings.find(([, , accepts]) => accepts.test(accepted)) ?? []
  const content = await readBuilt('assets', ending === undefined ? name : `${name}.${ending}`)
  if (content === undefined) return false
  void reply.headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' }).type(type)
  if (coding !== undefined) void reply.header('content-encoding', coding)
  await reply.send(content)
  return true
}

const style = `
body { font: 16px/1.6 system-ui, sans-serif; max-width: 34em; margin: 20vh auto; padding: 0 1.5em; color-scheme: light dark }
h1 { font-size: 1.4em; line-height: 1.3 }
code { font-size: .95em }
`

/** The page that is shown while the console is being built; it reloads until the console is there. */
const showMissingConsole = (nonce: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="3">
<title>Payin: the console is being built</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<h1>The console is being built</h1>
<p>This takes a few seconds after an installation or update. The console opens as soon as it is ready; the API already works.</p>
<p>If it takes longer than a minute, the service's log says why, and <code>npm run build:console</code> builds it again.</p>
</main>
</body>
</html>
`

const options = { schema: { hide: true } }

/** What the console may load: its own files, and styles with the nonce of this response. Nobody may frame it. */
const contentPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const sendPage = async (reply: FastifyReply): Promise<FastifyReply> => {
  const nonce = pageNonce()
  const page = await readConsolePage()
  void reply.type('text/html; charset=utf-8').headers({
    'content-security-policy': contentPolicy(nonce),
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex',
    // With the default, no-referrer, browsers would send `Origin: null` with the console's forms.
    'referrer-policy': 'same-origin',
  })
  if (page !== undefined) return reply.send(page.replaceAll('{nonce}', nonce))
  return reply.code(503).header('retry-after', 3).send(showMissingConsole(nonce))
}

/** Serves the console at `/console`: its page at every address without a dot, or a notice until it has been built. */
export const registerConsole = (app: App): void => {
  app.get('/console', options, (_request, reply) => reply.redirect('/console/', 308))
  app.get<{ Params: { file: string } }>('/console/assets/:file', options, async (request, reply) => {
    if (!(await sendConsoleFile(request, reply, request.params.file)))
      throw new Refusal('route_not_found', 'There is no such file of the console.')
    return reply
  })
  app.get('/console/*', options, (request: FastifyRequest, reply) => {
    const [path = ''] = request.url.split('?')
    if (path.includes('.')) throw new Refusal('route_not_found', 'There is no such file of the console.')
    return sendPage(reply)
  })
}
