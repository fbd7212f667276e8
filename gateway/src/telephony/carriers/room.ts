import { PrivateNetworks } from '@switchroom/process/private-networks'
import type { Infrastructure } from '../../database/room.ts'
import { ApiCarrier } from './api-carrier.ts'
import { CarrierClient } from './carrier-client.ts'
import { CarrierAccounts, type FindMessagingNumber } from './accounts.ts'
import { Catalogue } from './catalogue.ts'
import { Firewall } from './firewall.ts'
import { Networks } from './networks.ts'
import { NumberShop } from './number-shop.ts'

/** Carriers: accounts at them, the networks they call from, and who reaches the port. */
export function makeCarriers(
  parts: Infrastructure,
  findMessagingNumber: FindMessagingNumber,
  readmit: (org: string) => Promise<void>,
) {
  const { settings, clock, logger, database, signals, vault, publicAddresses } = parts
  const { telephony } = settings
  const carrierClient = new CarrierClient(telephony.apiCarrier, publicAddresses)
  const apiCarrier = new ApiCarrier(carrierClient)
  const numberShop = new NumberShop(carrierClient)
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
    lifted: {
      privateHosts: settings.privateHosts,
      privateNetworks: new PrivateNetworks(telephony.privateNetworks),
    },
    readmit,
  })
  return { apiCarrier, numberShop, carrierCatalogue, firewall, networks, carrierAccounts }
}
