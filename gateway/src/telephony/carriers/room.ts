import type { Infrastructure } from '../../database/room.ts'
import { ApiCarrier } from './api-carrier.ts'
import { CarrierAccounts, type FindMessagingNumber } from './accounts.ts'
import { Catalogue } from './catalogue.ts'
import { Firewall } from './firewall.ts'
import { Networks } from './networks.ts'

/** Carriers: accounts at them, the networks they call from, and who reaches the port. */
export function makeCarriers(
  parts: Infrastructure,
  findMessagingNumber: FindMessagingNumber,
  readmit: (org: string) => Promise<void>,
) {
  const { settings, clock, logger, database, signals, vault, publicAddresses } = parts
  const { telephony } = settings
  const apiCarrier = new ApiCarrier(telephony.apiCarrier, publicAddresses)
  const carrierCatalogue = new Catalogue(telephony)
  const firewall = new Firewall({
    database,
    clock,
    logger,
    signals,
    catalogue: carrierCatalogue,
    settings: telephony,
  })
  const networks = new Networks({ database, clock, firewall, readmit })
  const carrierAccounts = new CarrierAccounts({
    database,
    clock,
    vault,
    carrier: apiCarrier,
    findMessagingNumber,
    catalogue: carrierCatalogue,
    networks,
    firewall,
    privateHosts: settings.privateHosts,
    readmit,
  })
  return { apiCarrier, carrierCatalogue, firewall, networks, carrierAccounts }
}
