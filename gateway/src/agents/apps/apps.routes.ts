import { AgentList, AppList, SocketOpen } from '@switchroom/contract/apps'
import { scope } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { AppSockets } from './app-sockets.ts'
import type { ConnectedApps } from './connected-apps.ts'

const holdsAgents = scope('app')

export function appRoutes(server: Server, connectedApps: ConnectedApps, appSockets: AppSockets) {
  server.route({
    method: 'GET',
    url: '/v1/apps',
    access: scope('calls'),
    socketAccess: holdsAgents,
    schema: {
      summary: 'The apps connected; as a WebSocket, the door through which an app holds agents',
      description:
        'Over the socket an app sends `agent.register` and `agent.unregister`, and is answered `agent.registered` or ' +
        '`error`. It is sent each event of the calls it drives as `{type, agent, call, data}`, and sends `call.say`, ' +
        '`call.end`, `call.callback`, `call.opt_out`, `tool.result` and `preparing.settled` about them. An app that registers with `acknowledges` gets the `seq` of ' +
        'each stored event and sends `events.ack`; after a lost connection its calls go on behind what it acknowledged.',
      response: { 101: SocketOpen, 200: AppList },
    },
    handler: (request) => connectedApps.listApps(request.caller),
    wsHandler: (socket, request) => appSockets.serve(socket, request.caller, holdsAgents),
  })

  server.get(
    '/v1/agents',
    {
      access: scope('calls'),
      schema: {
        summary: 'Every agent of the org, and the app that holds it for you in this environment',
        response: { 200: AgentList },
      },
    },
    (request) => connectedApps.listAgents(request.caller),
  )
}
