import { isDictated } from './dictated-number.ts'

const setOf = (...lists: string[]) => new Set(lists.join(' ').split(' '))

/** Words after which hardly anybody stops: more is about to come. */
const openEndings = {
  en:
    'and or but so because if when that the a an of to for with in on at from my your is are into than ' +
    "i i'm i'd i'll you're we're he's would could should can will want need whose which about",
  es:
    'y e o u pero porque si cuando que el la los las un una unos unas de del al a para con en por mi tu su mis ' +
    'sus es son desde hasta sobre como quiero necesito me se lo le les nos muy más',
  pt:
    'e ou mas porque se quando que o a os as um uma de do da dos das em na nos nas ao à para pra com por pelo ' +
    'pela meu minha seu sua é são desde até sobre como quero preciso me muito mais',
}

/** Those that end no sentence, whatever mark a transcriber puts behind them. */
const neverLast = {
  en: 'and or but because if the a an my your whose',
  es: 'y o pero porque el los las un una unos unas de del al para con mi tu su mis sus',
  pt: 'ou mas porque os as um uma de do da dos das ao para pra com meu minha seu sua',
}

/** Whoever says this thinks about the next word. */
const fillers = setOf('um uhm uh er erm ehm hã mmm hmm')
/** The same unless a transcriber puts a mark behind it. */
const looseFillers = setOf('este pues bueno é tipo eh em hum')

type Listed = keyof typeof openEndings
const isListed = (language: string): language is Listed => language in openEndings

/** A word of one language may end a sentence of another one. */
const anyOpen = setOf(
  'and or but so because if when that the a an of to for with in on at from my your is are y o pero porque',
  'cuando que el la los las un una de para con en por mi su es ou mas quando os um uma da em na meu sua',
)
const open = { en: setOf(openEndings.en), es: setOf(openEndings.es), pt: setOf(openEndings.pt) }
const last = { en: setOf(neverLast.en), es: setOf(neverLast.es), pt: setOf(neverLast.pt) }
const anyLast = setOf('and or but because the an my your y pero porque los las una para mi ou mas uma meu')

const finished = 0.9
const undecided = 0.6
const dictating = 0.3
const unfinished = 0.2

/** How likely it is that the speaker is done, by the words alone. */
export function likelyDone(text: string, language: string | null = null): number {
  const said = text.trim()
  const words = said.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? []
  const word = words.at(-1) ?? ''
  const isAlone = words.length === 1 // "No." and "Okay" are whole answers
  const code = language?.toLowerCase().split('-', 1)[0] ?? ''
  if (/[,;:–—-]$|…$|(?<!\.)\.{2,}$/u.test(said)) return unfinished
  if (fillers.has(word) && !isAlone) return unfinished
  if (isDictated(words)) return dictating
  if (/[!?。！？]["')\]]*$/u.test(said)) return finished
  if (/\.["')\]]*$/u.test(said))
    return !isAlone && (isListed(code) ? last[code] : anyLast).has(word) ? unfinished : finished
  const isOpen = looseFillers.has(word) || (isListed(code) ? open[code] : anyOpen).has(word)
  return isOpen ? unfinished : undecided
}

/** Whether a transcriber put the mark of a whole sentence behind it. */
export const isWholeSentence = (text: string, language: string | null = null): boolean =>
  likelyDone(text, language) >= finished
