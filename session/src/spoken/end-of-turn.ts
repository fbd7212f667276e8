/** Words after which hardly anybody stops: more is about to come. */
const openEndings = new Set(
  (
    'and or but so because if when that the a an of to for with in on at from my your is are ' +
    'y o pero porque si cuando que el la los las un una de a para con en por mi tu su es ' +
    'e ou mas porque se quando que os as um uma do da em no na meu sua'
  ).split(' '),
)

const finished = 0.9
const undecided = 0.6
const unfinished = 0.2

/** How likely it is that the speaker is done, by the words alone. */
export function likelyDone(text: string): number {
  const said = text.trim()
  if (/[.!?。！？]["')\]]*$/u.test(said) && !/(?<!\.)\.{2,}$|…$/u.test(said)) return finished
  if (/[,;:–—-]$|…$|(?<!\.)\.{2,}$/u.test(said)) return unfinished
  const last = /(?<![\p{L}'])[\p{L}']+$/u.exec(said)?.[0].toLowerCase()
  return last !== undefined && openEndings.has(last) ? unfinished : undecided
}
