import { primaryTag } from '@switchroom/kit/languages'

const sentences: Readonly<Record<string, string>> = {
  es: 'Perdona, ¿puedes repetirlo?',
  pt: 'Desculpe, pode repetir?',
}

/** What is said in place of an answer that did not come. */
export const apologyIn = (language: string | null): string =>
  sentences[primaryTag(language ?? '')] ?? 'Sorry, could you say that again?'
