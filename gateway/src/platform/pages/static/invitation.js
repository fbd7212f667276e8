import { ask, onSubmit, show } from './ask.js'

const form = document.getElementById('accept')
onSubmit(form, async () => {
  const accepted = await ask(`/v1${location.pathname}`, { password: form.password.value, device: 'browser' })
  document.getElementById('name').textContent = accepted.name
  document.getElementById('key').textContent = accepted.key
  show('done')
})
