import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: 'dist',
    target: 'es2023',
    assetsInlineLimit: 0, // the page's policy takes scripts and styles from its own address alone
    chunkSizeWarningLimit: 700, // LiveKit's client, which is loaded when somebody talks through it
    modulePreload: { polyfill: false },
  },
  // For work on the console beside a running deployment: `npx vite console`.
  server: {
    proxy: { '/v1': { target: 'http://127.0.0.1:8080', ws: true }, '/.well-known': 'http://127.0.0.1:8080' },
  },
})
