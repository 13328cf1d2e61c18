// `node scripts/pack.ts packages/bank-files`: writes a package into its dist/ as npm gets it, for `npm publish` there.
// It has JavaScript and types, because Node.js runs no TypeScript in node_modules.
import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')

/** The manifest of a package whose src/*.ts have become *.js next to it. */
const packedManifest = (text: string): string => {
  const { files: _, ...manifest } = JSON.parse(text) as Record<string, unknown>
  return `${JSON.stringify(manifest, null, 2).replaceAll(/"(?:\.\/)?src\/([^"]+)\.ts"/g, '"./$1.js"')}\n`
}

/** Compiles the package in a folder of the repository, and writes it into another folder. */
export const pack = (folder: string, to: string): void => {
  const compiler = join(root, 'node_modules/.bin/tsc')
  const { status, stdout, error } = spawnSync(compiler, ['--project', folder, '--outDir', to], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${folder} does not compile: ${error?.message ?? stdout}`)
  writeFileSync(join(to, 'package.json'), packedManifest(readFileSync(join(folder, 'package.json'), 'utf8')))
  copyFileSync(join(folder, 'README.md'), join(to, 'README.md'))
  copyFileSync(join(root, 'LICENSE'), join(to, 'LICENSE'))
}

if (import.meta.main) {
  const folder = resolve(root, process.argv[2] ?? '')
  pack(folder, join(folder, 'dist'))
  console.log(`Now: npm publish ${join(folder, 'dist')}`)
}
