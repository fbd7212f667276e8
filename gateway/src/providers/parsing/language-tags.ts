/** A language as people and vendors write it: `en`, `pt-BR`. */
export const isLanguageTag = (text: string) => /^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/.test(text)
