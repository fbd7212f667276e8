import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './ui/look.css'
import { App } from './shell/app.tsx'

// A page that was open while the console was built anew asks for parts that are gone: it is loaded again, once.
const again = 'svc.loaded-again'
addEventListener('vite:preloadError', (event) => {
  if (sessionStorage.getItem(again) === location.pathname) return
  sessionStorage.setItem(again, location.pathname)
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
