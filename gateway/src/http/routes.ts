import type { RouteOptions } from 'fastify'
import type { Access } from './access.ts'

export interface Route {
  method: string
  /** The path as declared, such as `/v1/ops/orgs/:org`. */
  path: string
  access: Access
  /** Who may open it as a socket, if it is one as well. */
  socketAccess?: Access
  schema: NonNullable<RouteOptions['schema']>
}

/** Every route of the server, as data: tests, OpenAPI and the answer to a wrong method read it. */
export class Routes {
  readonly all: Route[] = []

  add(route: Route) {
    this.all.push(route)
  }

  /** The route that takes this method at this path; a literal path comes before one with a parameter. */
  at(method: string, path: string): Route | undefined {
    const candidates = this.all.filter((route) => route.method === method && isAt(route.path, path))
    return candidates.find((route) => route.path === path) ?? candidates[0]
  }

  /** The methods that some route takes at this path. */
  methodsAt(path: string): string[] {
    const methods = this.all.filter((route) => isAt(route.path, path)).map((route) => route.method)
    return [...new Set(methods)].toSorted()
  }
}

function isAt(declared: string, path: string): boolean {
  const wanted = declared.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, i) => (part.startsWith(':') ? given[i] !== '' : part === given[i]))
  )
}
