import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'

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
export const readConsolePage = async (): Promise<string | undefined> => (await readBuilt('index.html'))?.toString()

/**
 * Sends a script, style or picture of the console, in the best encoding that the browser accepts. Its name contains a
 * hash of its content, so browsers may keep it forever. Returns false if there is no such file.
 */
export const sendConsoleFile = async (request: FastifyRequest, reply: FastifyReply, name: string): Promise<boolean> => {
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
