// Names only: svc loads this page at every start, and schemas take longer than most commands run.

export const environments = ['sandbox', 'production'] as const
export type Environment = (typeof environments)[number]

/** Every scope there is, in the order answers list them. */
export const scopes = [
  'app',
  'calls',
  'talk',
  'pipeline',
  'words',
  'knowledge',
  'evals',
  'numbers',
  'keys',
  'providers',
  'team',
] as const
export type Scope = (typeof scopes)[number]

/** What a server token made by a person may open. */
export const serverTokenScopes = ['app', 'calls', 'talk', 'knowledge', 'evals'] as const satisfies Scope[]

export const roles = ['admin', 'developer', 'manager', 'qa', 'supervisor'] as const
export type Role = (typeof roles)[number]

export const scopesOfRole: Record<Role, readonly Scope[]> = {
  qa: ['calls', 'evals'],
  supervisor: ['calls', 'talk', 'words', 'evals'],
  manager: ['calls', 'talk', 'words', 'evals', 'numbers', 'keys', 'providers', 'team'],
  developer: ['app', 'calls', 'talk', 'pipeline', 'words', 'knowledge', 'evals'],
  admin: scopes,
}
