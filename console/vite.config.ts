import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { hasTexts, translate } from './texts.ts'

/** Where `npm run dev -w console` finds the service. */
const service = 'http://localhost:8080'

const catalogues = globSync(join(import.meta.dirname, 'languages', '*.json'))
const known = new Set(catalogues.flatMap((path) => Object.keys(JSON.parse(readFileSync(path, 'utf8')) as object)))
const language = join(import.meta.dirname, 'src', 'language.ts')

/** Has each text of the console said in the language of whoever reads it (`texts.ts`). */
const languages: Plugin = {
  name: 'languages',
  enforce: 'pre',
  transform: {
    filter: { id: hasTexts },
    handler: (source, id) => {
      const { code, texts } = translate(id, source, known)
      return texts.length === 0
        ? null
        : { code: `import { $say, $sayIn } from ${JSON.stringify(language)};${code}`, map: null }
    },
  },
}

/** Loads the app together with the entry, which imports it once it knows the language. */
const preloadApp: Plugin = {
  name: 'preload-app',
  transformIndexHtml: {
    order: 'post',
    handler: (_page, { bundle = {} }) => {
      const chunks = Object.values(bundle).filter((each) => each.type === 'chunk')
      const app = chunks.find(({ name }) => name === 'app')
      if (app === undefined) return []
      const link = (rel: string, name: string) =>
        ({ tag: 'link', attrs: { rel, crossorigin: true, href: `/console/${name}` }, injectTo: 'head' }) as const
      const styles = chunks.flatMap(({ fileName, viteMetadata }) =>
        fileName === app.fileName || app.imports.includes(fileName) ? [...(viteMetadata?.importedCss ?? [])] : [],
      )
      return [
        ...[app.fileName, ...app.imports].map((name) => link('modulepreload', name)),
        ...styles.map((name) => link('stylesheet', name)),
      ]
    },
  },
}

export default defineConfig({
  base: '/console/',
  plugins: [languages, react(), preloadApp],
  build: {
    // Colours are pairs for light and dark (`light-dark`), which all browsers know since 2024.
    target: ['chrome123', 'firefox125', 'safari17.5'],
    chunkSizeWarningLimit: 800,
    // Everything that is loaded is a file of ours: nothing inline, whatever its size.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': service, '/console/auth': service } },
})
