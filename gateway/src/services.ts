import type { Config, Lexicon } from '@switchroom/contract/settings'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { Logger } from 'pino'
import { findVendors } from '@switchroom/kit/installed'
import { Database } from './database/database.ts'
import { Signals } from './database/signals.ts'
import type { Clock } from './foundation/clock.ts'
import { PublicAddresses } from './foundation/public-addresses.ts'
import { Vault } from './foundation/sealing.ts'
import type { Settings } from './foundation/settings.ts'
import { Authentication } from './http/authentication.ts'
import { Fleet } from './http/fleet.ts'
import type { AgentOfCall } from './http/narrowing.ts'
import { OpenConnections } from './http/open-connections.ts'
import { RateCounts } from './http/rate-counts.ts'
import { environmentMailbox } from './mail/environment-mailbox.ts'
import { Letters } from './mail/letters.ts'
import { LetterTasks } from './mail/letters.tasks.ts'
import { Mailboxes } from './mail/mailboxes.ts'
import { Invitations } from './people/invitations/invitations.ts'
import { Links } from './people/invitations/links.ts'
import { Keys } from './people/keys/keys.ts'
import { Mint } from './people/keys/mint.ts'
import { LoginCodes } from './people/login-codes/login-codes.ts'
import { Members, seatsHeld } from './people/members/members.ts'
import { Orgs } from './people/orgs/orgs.ts'
import { Pairings } from './people/pairings/pairings.ts'
import { Passwords } from './people/passwords/passwords.ts'
import { Resets } from './people/resets/resets.ts'
import { Seats } from './people/seats/seats.ts'
import { SignIns } from './people/sign-in/sign-in.ts'
import { BegunSignIns } from './people/sso/begun-sign-ins.ts'
import { Domains } from './people/sso/domains.ts'
import { IdentityProviders } from './people/sso/providers.ts'
import { Seating } from './people/sso/seating.ts'
import { ProviderSignIns } from './people/sso/sign-in.ts'
import { SignUps } from './people/sign-up/sign-up.ts'
import { Switching } from './people/switching/switching.ts'
import { ModelAccess } from './providers/access/model-access.ts'
import { accountOfNewborn, Accounts } from './providers/accounts/accounts.ts'
import { VendorCatalogue } from './providers/catalogue/catalogue.ts'
import { ProviderKeys } from './providers/keys/provider-keys.ts'
import { Lending } from './providers/lending/lending.ts'
import { Rates } from './providers/rates/rates.ts'
import { StageKeys } from './providers/lending/stage-keys.ts'
import { observeVendors } from './providers/ordering/failing-metric.ts'
import { VendorWindow } from './providers/ordering/vendor-window.ts'
import { ProvidersRow } from './providers/row/row.ts'
import { Samples } from './providers/voices/samples.ts'
import { Voices } from './providers/voices/voices.ts'
import { EarsChoice } from './providers/voice-server/ears-choice.ts'
import { Entering } from './providers/voice-server/entering.ts'
import { Grants } from './providers/voice-server/grants.ts'
import { JudgingStreams } from './providers/voice-server/judging-streams.ts'
import { OpenStreams } from './providers/voice-server/open-streams.ts'
import { SpeechCatalogue } from './providers/voice-server/speech-catalogue.ts'
import { SpeechChoice } from './providers/voice-server/speech-choice.ts'
import { VendorVoices } from './providers/voice-server/vendor-voices.ts'
import { Agents, agentsHeld } from './agents/agents.ts'
import { AppSockets, appBeats } from './agents/apps/app-sockets.ts'
import { DeclaredModels } from './agents/apps/declared-models.ts'
import { Holders } from './agents/apps/holders.ts'
import { RunningGateways } from './agents/apps/running-gateways.ts'
import { Canaries } from './agents/canary/canary.ts'
import { OrgJudging } from './agents/judging/judging.ts'
import { Lexicons } from './agents/lexicon/lexicon.ts'
import type { Scope as AgentScope } from './agents/scope.ts'
import { AgentHistory } from './agents/settings/history.ts'
import { AgentSettings } from './agents/settings/settings.ts'
import { Versions } from './agents/versions/versions.ts'
import { AppFrames } from './calls/driving/app-frames.ts'
import { Driving } from './calls/driving/driving.ts'
import { HoldingEntries } from './calls/driving/holding-entries.ts'
import { Tools } from './calls/driving/tools.ts'
import { CallHeads, callsRunning } from './calls/heads/heads.ts'
import { Drifts } from './calls/insights/drift.ts'
import { Log } from './calls/log/log.ts'
import { LogReading } from './calls/log/reading.ts'
import { Relay } from './calls/log/relay.ts'
import { Tails } from './calls/log/tails.ts'
import { Callbacks } from './calls/callbacks/callbacks.ts'
import { Erasure } from './calls/erasure/erasure.ts'
import { OldLogs } from './calls/erasure/old-logs.ts'
import { CallStates } from './calls/sessions/call-states.ts'
import { Sessions } from './calls/sessions/sessions.ts'
import { Supervising } from './calls/supervising/supervising.ts'
import { Retention } from './platform/retention/retention.ts'
import { Post } from './calls/post/post.ts'
import { Pricing } from './calls/metering/pricing.ts'
import { Lines } from './calls/lines/lines.ts'
import { Routing } from './calls/lines/routing.ts'
import { Appending } from './calls/worker/appending.ts'
import { Asking } from './calls/worker/asking.ts'
import { LostWorkers } from './calls/worker/lost-workers.ts'
import { Opening } from './calls/worker/opening.ts'
import { SpokenCallTasks } from './calls/worker/spoken-calls.tasks.ts'
import { WorkerAnswers } from './calls/worker/worker.ts'
import { AskedTurns, messagesAsked } from './calls/written/asked-turns.ts'
import { CallModels } from './calls/written/call-models.ts'
import { Chats } from './calls/written/chats.ts'
import { Memories } from './calls/written/memories.ts'
import { WrittenCalls } from './calls/written/written-calls.ts'
import { Numbers } from './telephony/numbers/numbers.ts'
import { Brands } from './platform/brand/brand.ts'
import { DiscoveryDocument } from './platform/discovery/discovery.ts'
import { Housekeeping } from './platform/housekeeping/housekeeping.tasks.ts'
import { OrgAdministration } from './platform/orgs/orgs.ts'

export type Services = ReturnType<typeof makeServices>

/** Everything the gateway is made of, room by room. */
export function makeServices(settings: Settings, clock: Clock, logger: Logger) {
  const metrics = new Registry()
  collectDefaultMetrics({ register: metrics })

  const vault = new Vault(settings.vaultKey)
  const publicAddresses = new PublicAddresses(settings)
  const database = new Database(settings.databaseUrl, (error) =>
    logger.warn({ err: error }, 'lost a database connection'),
  )

  const signals = new Signals(settings.databaseUrl, logger)

  const authentication = new Authentication(database, clock, settings)
  const openConnections = new OpenConnections(authentication, logger)
  const rateCounts = new RateCounts(database, clock)

  const brands = new Brands(database)
  const mailboxes = new Mailboxes(database, clock, vault, publicAddresses, environmentMailbox(settings), () =>
    brands.read(),
  )
  const letters = new Letters(database, clock, vault, mailboxes, logger)
  const letterTasks = new LetterTasks(letters, logger)

  const passwords = new Passwords(settings.minPassword)
  const mint = new Mint(clock)
  const keys = new Keys(database, clock)
  const orgs = new Orgs(
    database,
    clock,
    {
      seats: seatsHeld(database),
      agents: agentsHeld(database),
      concurrent_calls: callsRunning(database),
      messages: messagesAsked(database, clock),
    },
    accountOfNewborn({ plan: settings.newOrgPlan, credits: settings.newOrgCredits }),
  )
  const links = new Links(clock, mailboxes, letters, settings.baseUrl)
  const invitations = new Invitations(database, clock, mint, passwords)
  const members = new Members(database, clock, orgs, keys, links)
  const loginCodes = new LoginCodes(database, clock, mint)
  const seats = new Seats(database)
  const signIns = new SignIns(database, rateCounts, passwords, seats, mint, loginCodes)
  const resets = new Resets(database, rateCounts, mailboxes, links, (error) =>
    logger.error({ err: error }, 'a reset letter was not made'),
  )
  const signUps = new SignUps({
    database,
    clock,
    vault,
    rateCounts,
    letters,
    passwords,
    orgs,
    mint,
    loginCodes,
  })
  const switching = new Switching(database, orgs, seats, mint)
  const pairings = new Pairings(database, clock, switching, mint, keys)
  const domains = new Domains(database, rateCounts, publicAddresses)
  const identityProviders = new IdentityProviders(
    database,
    vault,
    publicAddresses,
    orgs,
    domains,
    settings.baseUrl,
  )
  const seating = new Seating(database, clock, orgs, identityProviders, loginCodes)
  const begunSignIns = new BegunSignIns(database, clock, vault)
  const providerSignIns = new ProviderSignIns(
    begunSignIns,
    identityProviders,
    pairings,
    seating,
    publicAddresses,
    logger,
  )

  const vendors = findVendors(settings.vendorFolders)
  const providersRow = new ProvidersRow(database, vendors, settings.providersFile)
  const providerKeys = new ProviderKeys(database, vault, vendors)
  const rates = new Rates(settings.ratesFile, logger)
  const lending = new Lending(vendors, providersRow, rates, providerKeys, settings.providerKeys)
  const vendorCatalogue = new VendorCatalogue(vendors, providersRow, providerKeys, lending)
  const accounts = new Accounts(database, orgs)
  const modelAccess = new ModelAccess(
    rates,
    accounts,
    (org, vendor) => providerKeys.has(org, vendor),
    (service, vendor) => vendors.doing(service, vendor)?.needsKey === false,
  )

  const stageKeys = new StageKeys(vendors, lending, rates)
  const vendorWindow = new VendorWindow(clock, settings.vendorWindowMs)
  observeVendors(metrics, vendors, vendorWindow)
  const voices = new Voices(vendors, providersRow, lending, settings.sampleTimeoutMs)
  const samples = new Samples({
    vendors,
    providersRow,
    stageKeys,
    accounts,
    rateCounts,
    sampleTimeoutMs: settings.sampleTimeoutMs,
  })

  const vendorVoices = new VendorVoices(clock, settings.sampleTimeoutMs)
  const speechCatalogue = new SpeechCatalogue({ vendors, orgs, providersRow, lending, vendorVoices })
  const openStreams = new OpenStreams(database, clock, settings.maxStreams)
  const entering = new Entering({
    authentication,
    accounts,
    rateCounts,
    openStreams,
    rates: settings.voiceRates,
  })
  const grants = new Grants({
    database,
    clock,
    authentication,
    accounts,
    providersRow,
    stageKeys,
    speechChoice: new SpeechChoice({ vendors, rates, modelAccess, catalogue: speechCatalogue }),
    earsChoice: new EarsChoice({ vendors, rates, modelAccess, stageKeys }),
    openStreams,
  })
  const judgingStreams = new JudgingStreams(database, clock, authentication, accounts)

  const agents = new Agents(database, clock, orgs)
  const orgJudging = new OrgJudging(database, vendors, providersRow, stageKeys)
  const orgJudge = async (org: string) => (await orgJudging.read(org)).judge
  const runningGateways = new RunningGateways(database, clock, logger)
  const holders = new Holders(database, clock, agents, runningGateways)
  const declarationFor = (scope: AgentScope) => holders.declarationFor(scope)
  const declaredModels = new DeclaredModels({ vendors, providersRow, rates, modelAccess, orgJudge })
  const appSockets = new AppSockets({
    holders,
    declaredModels,
    connections: openConnections,
    logger,
    beats: appBeats,
    takeCallFrame: (from, frame) => appFrames.take(from, frame),
    takeLineFrame: (from, frame) =>
      frame['type'] === 'line.register' ? lines.register(from, frame) : routing.route(from, frame),
    onHeld: (holding) => {
      holdingEntries.held(holding)
      driving.drives.held(holding)
    },
    onReleased: (holdings) => {
      holdingEntries.released(holdings)
      driving.drives.released(holdings)
    },
    onGone: (sockets) => driving.drives.gone(sockets),
  })
  runningGateways.onForgotten = () => appSockets.sendAway()
  const settingsVersions = new Versions<Config>(database, clock, agents, 'settings')
  const lexiconVersions = new Versions<Lexicon>(database, clock, agents, 'lexicon')
  const agentSettings = new AgentSettings({
    vendors,
    providersRow,
    stageKeys,
    versions: settingsVersions,
    lexiconVersions,
    declarationFor,
    orgJudge,
    trialTimeoutMs: settings.trialTimeoutMs,
  })
  const agentHistory = new AgentHistory(settingsVersions, (caller, agent) =>
    agentSettings.read(caller, agent),
  )
  const canaries = new Canaries(database, clock, settingsVersions)
  const lexicons = new Lexicons(lexiconVersions, declarationFor)

  const tails = new Tails(database, signals, runningGateways.id, logger)
  const log = new Log({
    database,
    clock,
    logger,
    tails,
    gateway: runningGateways.id,
    charge: (tx, org, credits) => accounts.charge(org, credits, tx),
  })
  const post = new Post({ database, clock, logger, signals, gateway: runningGateways.id })
  const driving = new Driving({
    database,
    clock,
    logger,
    gateways: runningGateways,
    sockets: appSockets,
    log,
    tails,
    post,
  })
  const holdingEntries = new HoldingEntries(database, log, logger)
  runningGateways.onLost = (holdings) => holdingEntries.lost(holdings)
  const tools = new Tools({ database, logger, log, tails, driving, timeoutMs: settings.toolTimeoutMs })
  const appFrames = new AppFrames({ database, log, driving, tools })
  const logReading = new LogReading(database, tails, logger)
  const relay = new Relay(tails)
  const callHeads = new CallHeads({ database, clock, orgs, agents, gateways: runningGateways, log })
  const agentOfCall: AgentOfCall = (caller, call) => callHeads.agentOf(caller, call)
  const fleet = new Fleet(settings.fleetKey, {
    org: (idOrSlug) => orgs.lookUp(idOrSlug),
    orgOfCall: (call) => callHeads.orgOf(call),
  })
  const workerAnswers = new WorkerAnswers({
    heads: callHeads,
    vendors,
    stageKeys,
    lending,
    providerKeys,
    vendorWindow,
  })
  const routeOf = (number: string) => numbers.routeOf(number)
  const lines = new Lines({ database, gateways: runningGateways, log, routeOf, drives: driving.drives })
  const routing = new Routing({
    database,
    logger,
    gateways: runningGateways,
    agents,
    holders,
    heads: callHeads,
    log,
    drives: driving.drives,
    canSpeak: (org, scope) => workerAnswers.canSpeak(org, scope),
  })
  const pricing = new Pricing(rates)
  const appending = new Appending({ database, clock, log, pricing, vendorWindow })
  const asking = new Asking({ database, log, appending, driving, tools, lines })
  const opening = new Opening({
    database,
    clock,
    log,
    heads: callHeads,
    holders,
    lines,
    routeOf,
    reached: (number) => numbers.reached(number),
  })
  const lostWorkers = new LostWorkers({ database, clock, logger, log })
  const spokenCallTasks = new SpokenCallTasks([lostWorkers, routing], logger)
  const callModels = new CallModels({ vendors, stageKeys, lending, providerKeys })
  const memories = new Memories({ database, clock, log, gateway: runningGateways.id })
  const askedTurns = new AskedTurns(database, clock, orgs)
  const writtenCalls = new WrittenCalls({
    database,
    clock,
    logger,
    signals,
    log,
    tails,
    heads: callHeads,
    models: callModels,
    driving,
    tools,
    memories,
    askedTurns,
    pricing,
    gateways: runningGateways,
    idleMs: settings.chatIdleMs,
  })
  const chats = new Chats({
    database,
    heads: callHeads,
    models: callModels,
    accounts,
    log,
    calls: writtenCalls,
    logger,
    gateway: runningGateways.id,
  })
  const drifts = new Drifts(database, settingsVersions)
  const supervising = new Supervising(database, log)
  const sessions = new Sessions(database)
  const callStates = new CallStates(database, log)
  const callbacks = new Callbacks(database)
  const erasure = new Erasure(database, log)
  const oldLogs = new OldLogs(database, clock, settings.logKeptMs)

  const numbers = new Numbers(database, clock)

  const discovery = new DiscoveryDocument(
    settings,
    () => mailboxes.canPlatformSend(),
    () => brands.read(),
  )
  const orgAdministration = new OrgAdministration(orgs, members, keys)
  const retention = new Retention({
    database,
    clock,
    logger,
    forgotten: { entries: (signal) => oldLogs.forget(signal) },
  })

  const housekeeping = new Housekeeping(
    [
      rateCounts,
      invitations,
      loginCodes,
      pairings,
      begunSignIns,
      signUps,
      appSockets,
      runningGateways,
      post,
      driving.drives,
      askedTurns,
      grants,
    ],
    logger,
  )

  return {
    settings,
    clock,
    logger,
    metrics,
    vault,
    database,
    signals,
    authentication,
    openConnections,
    rateCounts,
    mailboxes,
    letters,
    letterTasks,
    passwords,
    mint,
    keys,
    orgs,
    links,
    invitations,
    members,
    loginCodes,
    seats,
    signIns,
    resets,
    signUps,
    switching,
    pairings,
    domains,
    identityProviders,
    runningGateways,
    holders,
    declaredModels,
    appSockets,
    agentSettings,
    agentHistory,
    canaries,
    lexicons,
    orgJudging,
    tails,
    log,
    post,
    driving,
    holdingEntries,
    tools,
    logReading,
    relay,
    callHeads,
    agentOfCall,
    fleet,
    workerAnswers,
    writtenCalls,
    chats,
    lines,
    routing,
    appending,
    asking,
    opening,
    lostWorkers,
    spokenCallTasks,
    numbers,
    drifts,
    supervising,
    sessions,
    callStates,
    callbacks,
    erasure,
    retention,
    vendorWindow,
    voices,
    samples,
    speechCatalogue,
    entering,
    grants,
    judgingStreams,
    begunSignIns,
    providerSignIns,
    vendors,
    providersRow,
    providerKeys,
    rates,
    lending,
    vendorCatalogue,
    accounts,
    modelAccess,
    brands,
    housekeeping,
    discovery,
    orgAdministration,
  }
}
