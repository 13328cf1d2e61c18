// `npm run build:console`: builds the console into console/dist, unless what is there was made of the same sources.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { buildOnce } from '../scripts/build-once.ts'

/** Writes each file a second and third time, compressed, so that the service compresses nothing. */
const compressAll = async (folder: string): Promise<void> => {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    // The page has a nonce of its own in each answer.
    if (!entry.isFile() || entry.name.endsWith('.html')) continue
    const path = join(entry.parentPath, entry.name)
    const content = await readFile(path)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
    await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }))
    await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }))
  }
}

const make = async (folder: string): Promise<void> => {
  // Here, because loading it takes longer than finding out that there is nothing to build.
  const { build } = await import('vite')
  await build({
    configFile: join(import.meta.dirname, 'vite.config.ts'),
    root: import.meta.dirname,
    mode: 'production',
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true },
  })
  await compressAll(folder)
}

const message = await buildOnce({
  name: 'The console',
  built: join(import.meta.dirname, 'dist'),
  // Rules and declarations of the service are part of the console, too.
  sources: ['console/**/*', 'src/{rules,operations}/**/*.ts', 'scripts/build-once.ts', 'package-lock.json'],
  make,
})
console.log(message)
