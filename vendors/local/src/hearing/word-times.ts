export interface TimedWord {
  word: string
  start: number
  end: number
}

/** Moonshine says no times: a word's are guessed from its share of the segment's letters. */
export function wordsAcross(text: string, start: number, end: number): TimedWord[] {
  const words = text.split(/\s+/u).filter((word) => word !== '')
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  let spoken = 0
  return words.map((word) => {
    const from = spoken
    spoken += word.length
    const at = (count: number) => toMs(start + ((end - start) * count) / letters)
    return { word, start: at(from), end: at(spoken) }
  })
}

export const toMs = (seconds: number) => Math.round(seconds * 1_000) / 1_000
