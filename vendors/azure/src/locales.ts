/** It knows Norwegian by the name of how it is written. */
const languages: Record<string, string> = { no: 'nb' }

/** `pt-BR` of `pt`, and `en-GB` as it is: it takes no language without a country. */
export function localeOf(tag: string): string {
  const { language, region } = new Intl.Locale(tag.replaceAll('_', '-')).maximize()
  return `${languages[language] ?? language}-${region}`
}
