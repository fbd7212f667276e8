import { Type } from 'typebox'
import { open } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Choose your password</title>
<link rel="stylesheet" href="/invitations/page.css">
</head>
<body>
<main>
<h1>Choose your password</h1>
<form id="accept">
<p>It signs you in here, in every org you belong to.</p>
<label for="password">Password</label>
<input id="password" type="password" autocomplete="new-password" required autofocus aria-describedby="refusal">
<p id="refusal" role="alert"></p>
<button>Take my seat</button>
</form>
<section id="accepted" tabindex="-1" hidden>
<p>Welcome, <strong id="name"></strong>. This is your key. It is shown this once; keep it like a password.</p>
<p><output id="key"></output></p>
<p><a href="/docs">What it opens</a></p>
</section>
<noscript><p>This page needs JavaScript.</p></noscript>
</main>
<script src="/invitations/page.js"></script>
</body>
</html>
`

const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 0 }
main { max-width: 26rem; margin: 12vh auto; padding: 0 1rem }
h1 { font-size: 1.5rem }
label { display: block; font-weight: 600 }
input, button { box-sizing: border-box; width: 100%; padding: .6rem; font: inherit; border: 1px solid #767676; border-radius: .4rem }
button { background: #2f6fed; border-color: #2f6fed; color: #fff; font-weight: 600; cursor: pointer }
button:disabled { opacity: .6; cursor: progress }
#refusal { min-height: 1.5rem; margin: .4rem 0; color: light-dark(#b00020, #ff8a80) }
output { display: block; padding: .6rem; border: 1px solid #767676; border-radius: .4rem; font-family: ui-monospace, monospace; overflow-wrap: anywhere }
`

const script = `const form = document.getElementById('accept')
const refusal = document.getElementById('refusal')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const button = form.querySelector('button')
  button.disabled = true
  refusal.textContent = ''
  try {
    const answer = await fetch('/v1' + location.pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password: form.password.value, device: 'browser' }),
    })
    const body = await answer.json()
    if (!answer.ok) throw new Error(body.detail)
    document.getElementById('name').textContent = body.name
    document.getElementById('key').textContent = body.key
    form.hidden = true
    const accepted = document.getElementById('accepted')
    accepted.hidden = false
    accepted.focus()
  } catch (error) {
    refusal.textContent = error.message
  } finally {
    button.disabled = false
  }
})
`

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Where an invitation's link leads. The page is the same for any token, and looking at it spends nothing. */
export function invitationPage(server: Server) {
  const serve = (path: string, type: string, text: string) =>
    server.get(
      path,
      { access: open, schema: { hide: true, response: { 200: Type.String() } } },
      async (_request, reply) =>
        reply
          .type(`${type}; charset=utf-8`)
          .headers({
            'content-security-policy': contentSecurityPolicy,
            'referrer-policy': 'no-referrer',
            'cache-control': 'no-store',
          })
          .send(text),
    )

  serve('/invitations/:token', 'text/html', page)
  serve('/invitations/page.css', 'text/css', style)
  serve('/invitations/page.js', 'text/javascript', script)
}
