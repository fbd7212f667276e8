/** Asks the gateway; what it refuses is thrown as its own sentence. */
export async function ask(path, body, key) {
  const answer = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answered = await answer.json()
  if (!answer.ok) throw new Error(answered.detail)
  return answered
}

/** Runs the work when the form is sent, once at a time, and shows a refusal where it belongs. */
export function onSubmit(form, work) {
  const button = form.querySelector('button')
  const refusal = form.querySelector('[role=alert]')
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    button.disabled = true
    refusal.textContent = ''
    try {
      await work()
    } catch (error) {
      refusal.textContent = error.message
    } finally {
      button.disabled = false
    }
  })
}

/** Shows one part of the page, hides the others, and takes the reader there. */
export function show(id) {
  for (const part of document.querySelectorAll('main > form, main > section')) part.hidden = part.id !== id
  document.getElementById(id).focus()
}
