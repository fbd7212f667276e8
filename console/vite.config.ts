import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: 'dist',
    target: 'es2023',
    assetsInlineLimit: 0, // the content policy allows scripts and styles only from the same origin
    chunkSizeWarningLimit: 700, // LiveKit's client, loaded on demand
    modulePreload: { polyfill: false },
  },
  // To work on the console with a running deployment: `npx vite console`.
  server: {
    proxy: { '/v1': { target: 'http://127.0.0.1:8080', ws: true }, '/.well-known': 'http://127.0.0.1:8080' },
  },
})
