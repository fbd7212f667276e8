/** The vendor refuses longer text. */
const longestInput = 4096

/** The text in pieces that the vendor takes, cut between sentences, or between words if a sentence is too long. */
export function inputsOf(text: string): string[] {
  if (text.length <= longestInput) return [text]
  const inputs: string[] = []
  for (const segment of segmentsOf(text)) {
    const last = inputs.length - 1
    const longer = `${inputs[last] ?? ''}${segment}`
    if (last >= 0 && longer.length <= longestInput) inputs[last] = longer
    else inputs.push(segment)
  }
  return inputs
}

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' })
const words = new Intl.Segmenter('en', { granularity: 'word' })

const segmentsOf = (text: string): string[] =>
  [...sentences.segment(text)].flatMap(({ segment }) =>
    segment.length <= longestInput ? [segment] : [...words.segment(segment)].map((word) => word.segment),
  )
