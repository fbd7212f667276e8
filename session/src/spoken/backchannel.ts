/** What listeners say to show that they listen, in English, Spanish and Portuguese. */
const sounds = new Set(
  (
    'uh huh uhuh mm mmm mhm hm hmm hum ah oh aha ajá aham uhum ' +
    'ok okay okey yeah yep yes yup right sure see got it alright i ' +
    'sí si vale claro ya bueno entiendo bien de acuerdo así es ' +
    'sim tá ta bom certo entendi isso é pois beleza'
  ).split(' '),
)
/** Those that say something only together: not "it", "I" or "de" alone. */
const parts = new Set('huh see got it i de acuerdo así es pois bom'.split(' '))
const mostWords = 3

/** Whether somebody who says this while another speaks only listens. */
export function isBackchannel(text: string): boolean {
  const words = text.toLowerCase().match(/[\p{L}']+/gu) ?? []
  if (words.length === 0 || words.length > mostWords || /[\d?]/u.test(text)) return false
  const isWhole = words.length > 1 || !parts.has(words[0] ?? '')
  return isWhole && words.every((word) => sounds.has(word))
}
