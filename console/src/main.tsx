import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './ui/look.css'
import { App } from './shell/app.tsx'

// A page opened before a new build asks for chunks that no longer exist: reload it once.
const reloaded = 'svc.loaded-again'
addEventListener('vite:preloadError', (event) => {
  if (sessionStorage.getItem(reloaded) === location.pathname) return
  sessionStorage.setItem(reloaded, location.pathname)
  event.preventDefault()
  location.reload()
})

const place = document.querySelector('#console')
if (place) {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
