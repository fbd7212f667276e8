/** Sentences that the documents fix on the wire, and what the screen shows in their place. */
const replacements: readonly [RegExp, string][] = [
  [/^nobody answers to that email and password$/, 'Wrong email or password.'],
  [/^this door takes an API key$/, 'Sign in to continue.'],
  [/^this corner is at v(\d+) now$/, 'Version $1 was saved in the meantime. Your changes were not saved.'],
  [
    /^carriers have no name to send calls of (sandbox|production) to: .*$/,
    'Carriers cannot send calls to this platform’s $1 yet. Ask the operator of the platform to give it an address for calls.',
  ],
  [/^(.+) set by the class of (.+)$/, 'Set in code by $2: $1.'],
  [/: nothing was kept, try again$/, '. Nothing was saved. Try again.'],
]

/** A sentence of the API as the screen shows it: plain words, a capital letter, a full stop. */
export function screenSentence(sentence: string): string {
  const [pattern, plain] = replacements.find(([known]) => known.test(sentence)) ?? [/$^/, '']
  const text = sentence.replace(pattern, plain)
  // Names such as per_minute, +34911234567 or ana@example.com keep their first letter.
  const begun = text.replace(/^[a-z]+(?=[\s,:;’']|$)/, (word) => word.charAt(0).toUpperCase() + word.slice(1))
  const endsWithAddress = begun.slice(begun.lastIndexOf(' ') + 1).includes('/') // a full stop would become part of it
  return endsWithAddress || /[.!?…:]$/.test(begun) ? begun : `${begun}.`
}
