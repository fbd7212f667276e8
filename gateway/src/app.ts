import { healthRoutes } from './http/health.routes.ts'
import { describeRoutes, openApiRoutes } from './http/openapi.ts'
import { referencePage } from './http/reference-page.ts'
import { makeServer } from './http/make-server.ts'
import type { Server } from './http/server.ts'
import { invitationPage } from './people/invitations/invitation.page.ts'
import { invitationRoutes } from './people/invitations/invitations.routes.ts'
import { whoamiRoutes } from './people/whoami/whoami.routes.ts'
import { discoveryRoutes } from './platform/discovery/discovery.routes.ts'
import { operatorRoutes } from './platform/operator/operator.routes.ts'
import { orgAdministrationRoutes } from './platform/orgs/orgs.routes.ts'
import type { Services } from './services.ts'

/** The server with every route on it, not yet listening. */
export async function makeApp(
  services: Services,
  whyNotReady: () => Promise<string | undefined>,
): Promise<Server> {
  const server = makeServer(services)
  await describeRoutes(server, services.settings.baseUrl)

  healthRoutes(server, whyNotReady, services.metrics)
  openApiRoutes(server)
  referencePage(server)

  whoamiRoutes(server)
  invitationRoutes(server, services.invitations)
  invitationPage(server)

  discoveryRoutes(server, services.discovery)
  operatorRoutes(server, services.settings)
  orgAdministrationRoutes(server, services.orgAdministration)

  await server.ready()
  return server
}
