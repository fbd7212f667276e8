import { secondMs } from '../../foundation/clock.ts'

/** Binds a sign-in and its login code to the browser that started it. */
export const browserCookie = (browser: string, lifetimeMs: number, baseUrl: string) =>
  [
    `svc_sso=${browser}`,
    'HttpOnly',
    'SameSite=Lax',
    'Path=/v1/login',
    `Max-Age=${lifetimeMs / secondMs}`,
    ...(baseUrl.startsWith('https:') ? ['Secure'] : []),
  ].join('; ')

export const browserIn = (cookies: string | undefined) =>
  /(?:^|;) *svc_sso=([^;\s]+)/.exec(cookies ?? '')?.[1] ?? ''
