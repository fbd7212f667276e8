import type { Config, Lexicon } from '@switchroom/contract/settings'
import type { Infrastructure } from '../database/room.ts'
import type { HttpRoom } from '../http/room.ts'
import type { PeopleRoom } from '../people/room.ts'
import type { ProvidersRoom } from '../providers/room.ts'
import type { SettingsScope as AgentScope } from './scope.ts'
import { AgentHistory } from './settings/history.ts'
import { AgentSettings } from './settings/settings.ts'
import { Agents } from './agents.ts'
import { AppSockets, appBeats, type AppSocketsParts } from './apps/app-sockets.ts'
import { Canaries } from './canary/canary.ts'
import { DeclaredModels } from './apps/declared-models.ts'
import { ConnectedApps } from './apps/connected-apps.ts'
import { Lexicons } from './lexicon/lexicon.ts'
import { OrgJudging } from './judging/judging.ts'
import { RunningGateways } from './apps/running-gateways.ts'
import { Versions } from './versions/versions.ts'

export type AgentsRoom = ReturnType<typeof makeAgents>

/** Agents, what they run on, and the apps that hold them. */
export function makeAgents(
  parts: Infrastructure & HttpRoom & PeopleRoom & ProvidersRoom,
  hooks: Pick<
    AppSocketsParts,
    'takeCallFrame' | 'takeLineFrame' | 'takeAck' | 'warningsOf' | 'onHeld' | 'onReleased' | 'onGone'
  >,
) {
  const {
    settings,
    clock,
    logger,
    database,
    writingDatabase,
    vault,
    openConnections,
    orgs,
    vendors,
    providersRow,
    rates,
    modelAccess,
    stageKeys,
  } = parts

  const agents = new Agents(database, clock, orgs)
  const orgJudging = new OrgJudging(database, vendors, providersRow, stageKeys)
  const orgJudge = async (org: string) => (await orgJudging.read(org)).judge
  const runningGateways = new RunningGateways(writingDatabase, clock, logger, vault.keyIds[0])
  const connectedApps = new ConnectedApps(database, clock, agents, runningGateways)
  const declarationFor = (scope: AgentScope) => connectedApps.declarationFor(scope)
  const declaredModels = new DeclaredModels({ vendors, providersRow, rates, modelAccess, orgJudge })
  const appSockets = new AppSockets({
    connectedApps,
    declaredModels,
    connections: openConnections,
    logger,
    beats: appBeats,
    ...hooks,
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

  return {
    agents,
    orgJudging,
    runningGateways,
    connectedApps,
    declaredModels,
    appSockets,
    settingsVersions,
    agentSettings,
    agentHistory,
    canaries,
    lexicons,
  }
}
