import type { Environment } from '@switchroom/contract/scopes'

export const environmentNames: Record<Environment, string> = { sandbox: 'Sandbox', production: 'Production' }

const inFront = /^\/(sandbox|production)(?=\/|$)/

/** The environment that a path begins with; null for the pages before sign-in and for addresses of older versions. */
export function environmentIn(path: string): Environment | null {
  const [, env] = inFront.exec(path) ?? []
  return env === 'sandbox' || env === 'production' ? env : null
}

/** The same place in an environment. */
export function addressIn(env: Environment, { pathname, search, hash }: Location = location): string {
  const place = pathname.replace(inFront, '')
  return `/${env}${place === '/' ? '' : place}${search}${hash}`
}

export const otherThan = (env: Environment): Environment => (env === 'sandbox' ? 'production' : 'sandbox')
