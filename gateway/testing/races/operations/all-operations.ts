import { agentOperations } from './agents.ts'
import { callOperations } from './calls.ts'
import { evalOperations } from './evals.ts'
import type { Operations } from './operation.ts'
import { knowledgeOperations } from './knowledge.ts'
import { peopleOperations } from './people.ts'
import { platformOperations } from './platform.ts'
import { socketOperations } from './sockets.ts'
import { telephonyOperations } from './telephony.ts'
import { webhookOperations } from './webhooks.ts'

/** Whatever changes something, as the harness runs it against whatever else does. */
export const allOperations: Operations = {
  ...peopleOperations,
  ...agentOperations,
  ...evalOperations,
  ...telephonyOperations,
  ...callOperations,
  ...socketOperations,
  ...platformOperations,
  ...webhookOperations,
  ...knowledgeOperations,
}

const counted = 'one letter is counted, as at an invitation, and sent to a server outside'
const readsOnly = 'it answers a question and keeps nothing'

/** Routes with a changing method that are no operation of their own, each with the reason. */
export const exemptRoutes: Record<string, string> = {
  'POST /v1/login/orgs': readsOnly,
  'POST /v1/login/sso/discover': readsOnly,
  'POST /v1/voices/sample': readsOnly,
  'POST /v1/bases/:base/search': readsOnly,
  'POST /v1/calls/:call/look-ups': readsOnly,
  'POST /v1/org/mail/test': counted,
  'POST /v1/ops/mail/test': counted,
  'PUT /v1/ops/signin/social': 'not in this version: it always refuses',
  'DELETE /v1/ops/signin/social': 'not in this version: it always refuses',
  'POST /v1/worker/offers/:call': 'the workers of the harness answer what POST /v1/rtc offers',
  'POST /v1/worker/trunk-tests/:id': 'the workers of the harness run what POST /v1/carrier/test asks for',
}
