import { isDisjointWith, JS, NFA, visitAst, type Concatenation, type NoParent, type Quantifier } from 'refa'

/** Fewer rounds than this cannot take long. */
const manyRounds = 10

/**
 * Whether a repetition of the expression may read a text in two ways, which makes the time exponential: `(a|a)*`.
 * Repetitions that trade characters with each other are what `scslre` finds.
 */
export function isAmbiguous(literal: { source: string; flags: string }): boolean {
  const { expression, maxCharacter } = JS.Parser.fromLiteral(literal).parse({ backreferences: 'disable' })
  const repeated: Quantifier[] = []
  visitAst(expression, {
    onQuantifierEnter: (node) => void (node.max >= manyRounds && repeated.push(node)),
  })
  const automatonOf = (concatenation: NoParent<Concatenation>) =>
    NFA.fromRegex(
      concatenation,
      { maxCharacter },
      { assertions: 'ignore', unknowns: 'disable', infinityThreshold: 20 },
    )
  const rounds = ({ alternatives }: Quantifier): NoParent<Concatenation> => ({
    type: 'Concatenation',
    elements: [{ type: 'Quantifier', alternatives, min: 0, max: Infinity, lazy: false }],
  })
  return repeated.some(
    (quantifier) =>
      choicesIn(quantifier).some((alternatives) => overlap(alternatives.map(automatonOf))) ||
      readsTwice(automatonOf(rounds(quantifier))),
  )
}

/** What a repetition chooses from in a round, at every depth. */
function choicesIn(quantifier: Quantifier): (readonly Concatenation[])[] {
  const choices: (readonly Concatenation[])[] = []
  visitAst(quantifier, {
    onQuantifierEnter: ({ alternatives }) => void choices.push(alternatives),
    onAlternationEnter: ({ alternatives }) => void choices.push(alternatives),
  })
  return choices
}

const overlap = (automata: readonly NFA[]) =>
  automata.some((one, n) => automata.slice(n + 1).some((other) => !isDisjointWith(one, other)))

type Pair = readonly [NFA.Node, NFA.Node]

/** Whether from some state, over one text, two different ways lead back to it. */
function readsTwice(nfa: NFA): boolean {
  const states = [...nfa.nodes()]
  const numbers = new Map(states.map((state, n) => [state, n]))
  const pairsFrom = (start: Pair): Map<number, Pair> => {
    const seen = new Map<number, Pair>()
    const open = [start]
    for (let pair = open.pop(); pair; pair = open.pop())
      for (const [a, viaA] of pair[0].out)
        for (const [b, viaB] of pair[1].out) {
          const number = (numbers.get(a) ?? 0) * states.length + (numbers.get(b) ?? 0)
          if (seen.has(number) || viaA.isDisjointWith(viaB)) continue
          seen.set(number, [a, b])
          open.push([a, b])
        }
    return seen
  }
  return states.some((state) => {
    const apart = [...pairsFrom([state, state]).values()].filter(([a, b]) => a !== b)
    return apart.some((pair) => [...pairsFrom(pair).values()].some(([a, b]) => a === state && b === state))
  })
}
