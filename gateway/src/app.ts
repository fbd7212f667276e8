import { auditRoutes } from './audit/audit.routes.ts'
import { gatewayAnswers } from './http/answers.ts'
import { codedAnswers } from './http/coded-answers.ts'
import { healthRoutes, type Readiness } from './http/health.routes.ts'
import { metricsRoutes } from './http/metrics.routes.ts'
import { openApiRoutes } from './http/openapi.ts'
import { referencePage } from './http/reference-page.ts'
import { makeServer } from './http/make-server.ts'
import type { Server } from './http/server.ts'
import { serveSockets } from './http/sockets.ts'
import { mailboxRoutes } from './mail/mailboxes.routes.ts'
import { invitationRoutes } from './people/invitations/invitations.routes.ts'
import { keyRoutes } from './people/keys/keys.routes.ts'
import { loginCodeRoutes } from './people/login-codes/login-codes.routes.ts'
import { memberRoutes } from './people/members/members.routes.ts'
import { pairingRoutes } from './people/pairings/pairings.routes.ts'
import { resetRoutes } from './people/resets/resets.routes.ts'
import { signInRoutes } from './people/sign-in/sign-in.routes.ts'
import { identityProviderRoutes } from './people/sso/providers.routes.ts'
import { providerSignInRoutes } from './people/sso/sign-in.routes.ts'
import { socialRoutes } from './people/sso/social.routes.ts'
import { signUpRoutes } from './people/sign-up/sign-up.routes.ts'
import { ownOrgRoutes } from './people/own-orgs/own-orgs.routes.ts'
import { whoamiRoutes } from './people/whoami/whoami.routes.ts'
import { modelAccessRoutes } from './providers/access/model-access.routes.ts'
import { accountRoutes } from './providers/accounts/accounts.routes.ts'
import { catalogueRoutes } from './providers/catalogue/catalogue.routes.ts'
import { providerKeyRoutes } from './providers/keys/provider-keys.routes.ts'
import { modelEndpointRoutes } from './providers/endpoints/model-endpoints.routes.ts'
import { providersRowRoutes } from './providers/row/row.routes.ts'
import { voiceServerRoutes } from './providers/voice-server/voice-server.routes.ts'
import { voiceRoutes } from './providers/voices/voices.routes.ts'
import { canaryRoutes } from './agents/canary/canary.routes.ts'
import { judgingRoutes } from './agents/judging/judging.routes.ts'
import { lexiconRoutes } from './agents/lexicon/lexicon.routes.ts'
import { historyRoutes } from './agents/settings/history.routes.ts'
import { appRoutes } from './agents/apps/apps.routes.ts'
import { settingsRoutes } from './agents/settings/settings.routes.ts'
import { knowledgeSearchRoutes } from './knowledge/search/search.routes.ts'
import { baseRoutes } from './knowledge/bases/bases.routes.ts'
import { documentRoutes } from './knowledge/documents/documents.routes.ts'
import { callBaseRoutes } from './calls/knowledge/call-bases.routes.ts'
import { callRoutes } from './calls/records/calls.routes.ts'
import { callbackRoutes } from './calls/callbacks/callbacks.routes.ts'
import { recordingRoutes } from './calls/recordings/recordings.routes.ts'
import { erasureRoutes } from './calls/erasure/erasure.routes.ts'
import { sessionRoutes } from './calls/sessions/sessions.routes.ts'
import { supervisingRoutes } from './calls/supervising/supervising.routes.ts'
import { retentionRoutes } from './platform/retention/retention.routes.ts'
import { insightRoutes } from './calls/insights/insights.routes.ts'
import { eventRoutes } from './calls/log/events.routes.ts'
import { spokenCallRoutes } from './calls/spoken/spoken-calls.routes.ts'
import { workerRoutes } from './calls/spoken/worker.routes.ts'
import { chatRoutes } from './calls/written/chat.routes.ts'
import { browserCallRoutes } from './telephony/browser/browser-calls.routes.ts'
import { pageCallRoutes } from './telephony/browser/page-calls.routes.ts'
import { publishableKeyRoutes } from './telephony/publishable-keys/publishable-keys.routes.ts'
import { platformWorkerRoutes } from './telephony/workers/workers.routes.ts'
import { callPlacerRoutes } from './telephony/placing/call-placer.routes.ts'
import { ownPhoneRoutes } from './telephony/own-phone/own-phones.routes.ts'
import { carrierRoutes } from './telephony/carriers/carriers.routes.ts'
import { consentRoutes } from './telephony/consents/consents.routes.ts'
import { diallingRoutes } from './telephony/dialling/dialling.routes.ts'
import { dialPolicyRoutes } from './telephony/dialling/policies.routes.ts'
import { hookedApprovalRoutes } from './telephony/admission/hooked-approvals.routes.ts'
import { trunkTestRoutes } from './telephony/trunk-tests/trunk-tests.routes.ts'
import { numberChangeRoutes } from './telephony/number-changes/number-changes.routes.ts'
import { soundOfferRoutes } from './telephony/worker-offers/sound-offers.routes.ts'
import { fallbackRoutes } from './telephony/fallbacks/fallbacks.routes.ts'
import { numberRoutes } from './telephony/numbers/numbers.routes.ts'
import { registrationRoutes } from './telephony/registrations/registrations.routes.ts'
import { workerOfferRoutes } from './telephony/worker-offers/worker-offers.routes.ts'
import { outboundRoutes } from './telephony/outbound/outbound.routes.ts'
import { templateRoutes } from './messaging/templates/templates.routes.ts'
import { threadRoutes } from './messaging/threads/threads.routes.ts'
import { webhookRoutes } from './messaging/webhook/webhook.routes.ts'
import { brandRoutes } from './platform/brand/brand.routes.ts'
import { discoveryRoutes } from './platform/discovery/discovery.routes.ts'
import { operatorRoutes } from './platform/operator/operator.routes.ts'
import { orgAdministrationRoutes } from './platform/orgs/orgs.routes.ts'
import { ConsoleFiles } from './platform/pages/console-files.ts'
import { vaultRoutes } from './platform/vault/vault.routes.ts'
import { pageRoutes } from './platform/pages/pages.routes.ts'
import { webhookDeliveryRoutes } from './webhooks/deliveries/deliveries.routes.ts'
import { webhookEndpointRoutes } from './webhooks/endpoints/endpoints.routes.ts'
import { reportRoutes } from './evals/reports/reports.routes.ts'
import { runRoutes } from './evals/runs/runs.routes.ts'
import { scenarioRoutes } from './evals/scenarios/scenarios.routes.ts'
import type { Services } from './services.ts'

/** The server with every route on it, not yet listening. */
export async function makeApp(services: Services, readiness: Readiness, dashboard: Server): Promise<Server> {
  const { baseUrl: publicUrl } = services.settings
  const server = makeServer({ ...services, publicUrl, answers: gatewayAnswers })
  await serveSockets(server, services.openConnections)

  healthRoutes(server, readiness)
  openApiRoutes(server, dashboard, services.settings)
  referencePage(server)

  auditRoutes(server, services.auditLog)
  mailboxRoutes(server, services.mailboxes, services.letters)

  signInRoutes(server, services.signIns, services.placeTries)
  resetRoutes(server, services.resets, services.placeTries)
  signUpRoutes(server, services.signUps, services.placeTries, () => services.mailboxes.canPlatformSend())
  loginCodeRoutes(server, services.loginCodes)
  ownOrgRoutes(server, services.ownOrgs)
  pairingRoutes(server, services.pairings, services.placeTries)
  providerSignInRoutes(
    server,
    services.domains,
    services.providerSignIns,
    services.placeTries,
    services.settings.baseUrl,
  )
  socialRoutes(server)
  identityProviderRoutes(server, services.identityProviders, services.domains)
  whoamiRoutes(server)
  memberRoutes(server, services.members)
  keyRoutes(server, services.keys)
  invitationRoutes(server, services.invitations)

  providersRowRoutes(server, services.providersRow)
  providerKeyRoutes(server, services.providerKeys)
  modelEndpointRoutes(server, services.modelEndpoints)
  catalogueRoutes(server, services.vendorCatalogue)
  accountRoutes(server, services.accounts)

  voiceRoutes(server, services.voices, services.samples)
  voiceServerRoutes(server, services)

  appRoutes(server, services.connectedApps, services.appSockets)
  settingsRoutes(server, services.agentSettings)
  historyRoutes(server, services.agentHistory)
  canaryRoutes(server, services.canaries)
  lexiconRoutes(server, services.lexicons)
  judgingRoutes(server, services.orgJudging)

  knowledgeSearchRoutes(server, services.askedSearches, services.missedQueries)
  baseRoutes(server, services.bases)
  await documentRoutes(server, services.documents)

  callRoutes(server, services.callRecords)
  eventRoutes(server, {
    eventLogs: services.eventLogs,
    relay: services.relay,
    connections: services.openConnections,
    caps: services.connectionCaps,
  })
  callBaseRoutes(server, services.callBases)
  workerRoutes(server, services.workerAnswers)
  spokenCallRoutes(server, services.spokenCallOpener, services.entryAppender, services.workerRequests)
  chatRoutes(server, {
    chats: services.chats,
    log: services.log,
    liveLogs: services.liveLogs,
    connections: services.openConnections,
    caps: services.connectionCaps,
    logger: services.logger,
  })
  insightRoutes(server, services.drifts, services.overviews)
  supervisingRoutes(server, services.supervising)
  sessionRoutes(server, services.sessions, services.callSummaries)
  callbackRoutes(server, services.callbacks)
  await recordingRoutes(server, services.recordings)
  erasureRoutes(server, services.erasure)

  carrierRoutes(server, services)
  outboundRoutes(server, services.outboundReadinesses, services.outboundProvisioning)
  trunkTestRoutes(server, services.trunkTests, services.trunkTestOffers)
  workerOfferRoutes(server, services)
  registrationRoutes(server, services.registrations)
  soundOfferRoutes(server, services.soundOffers)
  platformWorkerRoutes(server, services.workers)
  browserCallRoutes(server, services.browserCalls)
  publishableKeyRoutes(server, services.publishableKeys, services.pageTokens)
  pageCallRoutes(server, {
    pageCalls: services.pageCalls,
    eventLogs: services.eventLogs,
    connections: services.openConnections,
    caps: services.connectionCaps,
  })
  consentRoutes(server, services.consents)
  dialPolicyRoutes(server, services.dialPolicies)
  diallingRoutes(server, services.dialDecisions, services.dialLedger)
  ownPhoneRoutes(server, services.ownPhones)
  callPlacerRoutes(server, services.callPlacer, services.legs)
  numberRoutes(server, services.numbers, services.accountNumbers)
  numberChangeRoutes(server, services)
  fallbackRoutes(server, services.fallbacks)
  hookedApprovalRoutes(server, services.hookedApprovals)

  await webhookRoutes(server, services.webhook)
  threadRoutes(server, services.threads, services.messageSender)
  templateRoutes(server, services.templates)

  webhookEndpointRoutes(server, services.webhookEndpoints)
  webhookDeliveryRoutes(server, services.webhookDeliveries)

  scenarioRoutes(server, services.scenarios)
  runRoutes(server, {
    runs: services.runs,
    runProgresses: services.runProgresses,
    connections: services.openConnections,
    caps: services.connectionCaps,
  })
  reportRoutes(server, services.evalReports)

  await pageRoutes(server, new ConsoleFiles(services.settings.consoleFolder), services.settings)
  discoveryRoutes(server, services.discovery, services.settings)
  operatorRoutes(server, services.settings)
  brandRoutes(server, services.brands)
  orgAdministrationRoutes(server, services.orgAdministration)
  retentionRoutes(server, services.retention)
  vaultRoutes(server, services.vaultRotation)

  await server.ready()
  return server
}

/** The dashboard's server, not yet listening. */
export async function makeDashboard(services: Services): Promise<Server> {
  const { dashboardUrl: publicUrl } = services.settings
  const server = makeServer({ ...services, publicUrl, answers: codedAnswers })
  modelAccessRoutes(server, services.modelAccess, services.providerKeys)
  await server.ready()
  return server
}

/** The server of the metrics, not yet listening. */
export async function makeMetrics(services: Services): Promise<Server> {
  const server = makeServer({ ...services, answers: gatewayAnswers })
  metricsRoutes(server, services.metrics)
  await server.ready()
  return server
}
