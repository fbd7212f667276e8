import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

export interface Appointment {
  /** As 2026-11-18T09:30, in the desk's own time. */
  at: string
  name: string
  /** Their number, if the call had one. */
  phone: string | null
}

const firstHour = 9
const lastHour = 17
const form = /^(\d{4}-\d\d-\d\d)T(\d\d):(00|30)$/

/** Appointments of half an hour on weekdays, kept in a file. */
export class Calendar {
  readonly #file: string
  readonly #booked: Map<string, Appointment>

  constructor(file: string) {
    this.#file = file
    const saved = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Appointment[]) : []
    this.#booked = new Map(saved.map((each) => [each.at, each]))
  }

  /** The free times of a day, as 09:30. */
  free(day: string): string[] {
    const weekday = new Date(`${day}T12:00:00Z`).getUTCDay()
    if (Number.isNaN(weekday)) throw new Error(`${day} is not a day: use the form 2026-11-18`)
    if (weekday === 0 || weekday === 6) return []
    const hours = Array.from({ length: lastHour - firstHour }, (_, at) =>
      String(firstHour + at).padStart(2, '0'),
    )
    const times = hours.flatMap((hour) => [`${hour}:00`, `${hour}:30`])
    return times.filter((time) => !this.#booked.has(`${day}T${time}`))
  }

  /** Takes the time at once: of two callers who want it, the second is refused. */
  book({ at, name, phone }: Appointment): Appointment {
    const [, day = '', hour = '', minutes = ''] = form.exec(at) ?? []
    if (!this.free(day).includes(`${hour}:${minutes}`))
      throw new Error(`${at} is not free: offer another time`)
    const appointment = { at, name, phone }
    this.#booked.set(at, appointment)
    this.#save()
    return appointment
  }

  /** Only the person who booked it may cancel it. */
  cancel(at: string, phone: string | null): Appointment {
    const booked = this.#booked.get(at)
    if (!booked || booked.phone !== phone) throw new Error(`this caller has no appointment at ${at}`)
    this.#booked.delete(at)
    this.#save()
    return booked
  }

  #save(): void {
    const temporary = `${this.#file}.new`
    writeFileSync(temporary, `${JSON.stringify([...this.#booked.values()], null, 2)}\n`)
    renameSync(temporary, this.#file) // whole or not at all
  }
}
