import type { Invocation } from '../../invocation/invocation.ts'
import { wrongUsage } from '../../terminal/failures.ts'
import type { LoadOrg } from '../deployment/load-org.ts'
import type { LoadRun } from '../load-run.ts'
import type { LoadPlan } from '../plan/load-plan.ts'
import type { ProfileName } from '../plan/profile-names.ts'
import { LoadTrunk, ownAddressTowards, refuseOddAddress } from '../sip/load-trunk.ts'
import { recordedSpeech } from '../sip/recorded-speech.ts'
import { chatsProfile } from './chats.ts'
import { dialsProfile } from './dials.ts'
import type { Profile, Recorder } from './profile.ts'
import { spokenCallsProfile } from './spoken-calls.ts'
import { webhooksProfile } from './webhooks.ts'

type Maker = (org: LoadOrg, recorder: Recorder, places: number) => Promise<Profile>

/** Makes the profiles of a plan ready; those on the phone share one PBX. What the command line lacks is refused before. */
export function profileMaker(invocation: Invocation, { loads }: LoadPlan): LoadRun['prepare'] {
  const appSecret = loads.has('webhooks') ? appSecretIn(invocation) : ''
  const sipAddress = loads.has('calls') ? sipAddressIn(invocation) : undefined
  const speech = loads.has('calls') ? recordedSpeech(invocation.option('speech')) : new Int16Array()
  const ownAddress = invocation.option('own-address')
  if (ownAddress !== undefined) refuseOddAddress(ownAddress)
  let trunk: Promise<LoadTrunk> | undefined
  const openTrunk = async (org: LoadOrg) => {
    const towards = sipAddress?.split(':')[0] ?? new URL(org.client.url).hostname
    return LoadTrunk.open(org, ownAddress ?? (await ownAddressTowards(towards)))
  }
  const trunkOf = (org: LoadOrg) => (trunk ??= openTrunk(org))
  const makers: Record<ProfileName, Maker> = {
    chats: (org, recorder, places) =>
      chatsProfile(org, recorder, places, invocation.option('answer') === 'model' ? 'model' : 'app'),
    webhooks: (org, recorder, places) => webhooksProfile(org, recorder, places, appSecret),
    dials: async (org, recorder, places) => dialsProfile(org, recorder, places, await trunkOf(org)),
    calls: async (org, recorder, places) =>
      spokenCallsProfile({
        org,
        recorder,
        places,
        trunk: await trunkOf(org),
        sipAddress: sipAddress ?? '',
        speech,
        vendors: invocation.option('vendors') === 'deployment' ? 'deployment' : 'local',
      }),
  }
  return (name, org, recorder, { places }) => makers[name](org, recorder, places)
}

function appSecretIn({ environment }: Invocation): string {
  const secret = environment['SVC_MSGAPP_APP_SECRET']
  if (!secret)
    throw wrongUsage(
      'webhook deliveries are signed with the app secret of the messaging platform: set SVC_MSGAPP_APP_SECRET as the gateway has it',
    )
  return secret
}

function sipAddressIn(invocation: Invocation): string {
  const address = invocation.option('sip')
  if (address === undefined)
    throw wrongUsage(
      '--sip is missing: say where the deployment takes calls, as sip.example.com or 127.0.0.1:5060',
    )
  if (!/^[\w.-]{1,253}(?::\d{1,5})?$/.test(address))
    throw wrongUsage(`--sip ${address} is not understood: write it as sip.example.com or 127.0.0.1:5060`)
  return address
}
