import { ask, onSubmit, show } from './ask.js'

const query = new URLSearchParams(location.search)
const word = query.get('c')
const form = document.getElementById('password-form')
const terminal = document.getElementById('terminal')
const text = (id, value) => (document.getElementById(id).textContent = value)
let key

// A code is spent by the first who redeems it; it need not stay in the address bar.
if (query.has('login') || query.has('refused'))
  history.replaceState(null, '', location.pathname + (word ? `?c=${encodeURIComponent(word)}` : ''))

async function signedIn(minted) {
  key = minted.key
  const { name, slug } = await ask('/v1/whoami', undefined, key)
  text('name', name)
  text('org', slug)
  show(word ? await waitingTerminal() : 'signed-in')
}

async function waitingTerminal() {
  const { device, answered } = await ask(`/v1/login/pairings/${encodeURIComponent(word)}`)
  text('device', device)
  return answered ? 'approved' : 'terminal'
}

onSubmit(form, async () => {
  const credentials = { email: form.email.value, password: form.password.value, device: 'browser' }
  await signedIn(await ask('/v1/login', credentials))
})

onSubmit(terminal, async () => {
  await ask(`/v1/login/pairings/${encodeURIComponent(word)}`, {}, key)
  show('approved')
})

form.email.addEventListener('change', async () => {
  const { orgs } = await ask('/v1/login/sso/discover', { email: form.email.value }).catch(() => ({
    orgs: [],
  }))
  document.getElementById('provider').replaceChildren(...orgs.map(providerLink))
})

function providerLink({ slug, name }) {
  const link = document.createElement('a')
  link.href = `/v1/login/sso?${new URLSearchParams({ org: slug, ...(word && { pairing: word }) })}`
  link.textContent = `Sign in with the provider of ${name}`
  return link
}

const { brand } = await ask('/.well-known/svc')
text('brand', brand.name)
document.title = `Sign in to ${brand.name}`
if (query.has('refused')) text('refused', query.get('refused'))
if (query.has('login')) {
  try {
    await signedIn(await ask('/v1/login', { code: query.get('login'), device: 'browser' }))
  } catch (error) {
    text('refused', error.message)
  }
}
