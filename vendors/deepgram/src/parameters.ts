/** It refuses a request with many more. */
const mostTerms = 100

type Keywords = Readonly<Record<string, unknown>>

/** What /v1/listen is asked with, of a stream and of a recording alike. */
export function listenParameters({ diarize, keyterm, ...rest }: Keywords): Keywords {
  const knowsTerms = String(rest['model']).startsWith('nova-3')
  return {
    ...rest,
    ...(diarize === true && { diarize_model: 'latest' }),
    // only its newest models take key terms; the others know them as keywords
    [knowsTerms ? 'keyterm' : 'keywords']: fewTerms(keyterm),
  }
}

export const fewTerms = (terms: unknown) => [terms ?? []].flat().slice(0, mostTerms)

/** Whether a model hears many languages live and says which; the others hear English if no language is set. */
export const findsLanguage = (model: unknown) => model === 'nova-3' || model === 'nova-3-general'
