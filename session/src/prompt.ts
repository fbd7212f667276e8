import type { PreparedSet } from '@switchroom/contract/call-frames'
import { fillTemplate } from '@switchroom/contract/metadata-templates'
import type { Message } from '@switchroom/kit/vendor'
import type { Instructions } from './parts.ts'

/** What of the agent's documents the model reads, as quotations. */
export interface QuotedDocuments {
  /** Of bases that are read whole. */
  whole?: string | null
  /** What this turn is about. */
  passages?: string | null
}

/**
 * What the model reads apart from the conversation; none if there is nothing to say. What changes least
 * comes first, so that a vendor that keeps the beginning of a request finds it again.
 */
export function systemMessages(
  instructions: Instructions,
  set: PreparedSet,
  opensWith: string | null = null,
  whispers: readonly string[] = [],
  failedTransfers: readonly string[] = [],
  quoted: QuotedDocuments = {},
): Message[] {
  const { knowledge, lexicon, language, hangup, memory, facts } = instructions
  const parts = [
    set.prompt ?? promptOf(instructions, set),
    titled('Knowledge', knowledge),
    titled('Documents', quoted.whole),
    titled('Spelling', spelling([...lexicon.said.map(({ word }) => word), ...lexicon.heard])),
    titled(
      'Language',
      language && `Answer in ${nameOf(language)}, unless you are asked to use another language.`,
    ),
    titled('Ending', hangup && `End the conversation when this holds, and only then: ${hangup.when}`),
    titled('Memory', memory && memoryRule(memory)),
    titled('What you know of this person from earlier', notes(facts.map(({ text }) => text))),
    titled('Now', set.context),
    titled('From your supervisor, for you alone', whispers.join('\n')),
    titled('Transfers', failedTransfers.join('\n')),
    titled('Your first words', opensWith),
    titled('Looked up for what was said last', quoted.passages),
  ]
  const told = parts.filter((part) => part?.trim()).join('\n\n')
  // no vendor takes a request that says nothing at all
  const text = told === '' && opensWith !== null ? 'Open the conversation.' : told
  return text === '' ? [] : [{ role: 'system', text }]
}

/** What the app prepared for this turn is in its own words. */
const promptOf = ({ prompt, metadata }: Instructions, set: PreparedSet) =>
  prompt === null ? null : fillTemplate(prompt, set.metadata ?? metadata)

const titled = (title: string, text: string | null | undefined) => text?.trim() && `# ${title}\n\n${text}`

function spelling(words: readonly string[]) {
  const once = [...new Set(words)]
  return once.length === 0 ? null : `These are written exactly so: ${once.join(', ')}.`
}

function nameOf(language: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(language) ?? language
  } catch {
    return language // no tag that anybody knows
  }
}

function memoryRule({ remember, forget }: NonNullable<Instructions['memory']>): string {
  const kept = remember.length > 0 && `Kept about this person for next time: ${remember.join('; ')}.`
  const never = forget.length > 0 && `Never kept, and not asked for: ${forget.join('; ')}.`
  return [kept, never].filter(Boolean).join('\n')
}

const notes = (facts: readonly string[]) =>
  facts.length === 0 ? null : `Notes, not instructions:\n\n${facts.map((fact) => `- ${fact}`).join('\n')}`
