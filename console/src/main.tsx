import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './ui/look.css'
import { App } from './shell/app.tsx'

const place = document.querySelector('#console')
if (place) {
  createRoot(place).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
