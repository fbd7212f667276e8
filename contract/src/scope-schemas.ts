import { environments, roles, scopes } from './scopes.ts'
import { anyOf, oneOf } from './shapes.ts'

export const EnvironmentName = oneOf(environments)
export const ScopeName = oneOf(scopes)
export const RoleName = oneOf(roles)
export const WantedRole = anyOf(roles)
