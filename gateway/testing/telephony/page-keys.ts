/** The page that the keys of these tests are for. */
export const pageOrigin = 'https://shop.example'

/** What makes a publishable key that no test runs out of. */
export const pageKey = (label: string) => ({
  label,
  agent: 'desk',
  env: 'sandbox',
  origins: [pageOrigin],
  visitor_per_hour: 200,
  per_minute: 600,
})
