import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm run dev -w console` finds the service. */
const service = 'http://localhost:8080'

export default defineConfig({
  base: '/console/',
  plugins: [react()],
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
