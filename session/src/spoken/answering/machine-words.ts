export type MachineKind = 'voicemail' | 'fax' | 'screening'

/** What only a screening service asks, such as those of mobile phones. */
const screening = [
  /\b(?:state|say|record|give|tell (?:me|us)) your (?:full )?name\b/,
  /\breason for (?:calling|your call|the call)\b/,
  /\b(?:call screening|screening (?:service|calls|this call|your call))\b/,
  /\b(?:diga|indique|grabe|deje) su nombre\b/,
  /\bmotivo de (?:su|la|tu) llamada\b/,
  /\b(?:diga|informe|grave|fale) (?:o )?seu nome\b/,
  /\bmotivo d[ao] (?:sua |seu )?(?:ligacao|chamada|contato)\b/,
  /\b(?:dites|enregistrez|indiquez|donnez) votre nom\b/,
  /\b(?:raison|motif) de votre appel\b/,
  /\b(?:nennen|sagen) sie (?:bitte )?ihren namen\b/,
  /\b(?:dica|registri|pronunci|lasci) il (?:suo|tuo) nome\b/,
  /назовите (?:ваше|свое|своё) имя|представьтесь/,
]

/** What a voicemail or a carrier's announcement says. */
const voicemail = [
  /\b(?:leave|record)(?: \w+){0,3} message\b/,
  /\b(?:after|at|following) the (?:tone|beep)\b/,
  /\b(?:not|isn t|aren t) (?:currently |presently |here )?available\b|\bunavailable\b/,
  /\bvoice ?mail(?:box)?\b|\bmailbox\b|\banswering machine\b/,
  /\byou(?: ve| have)? reached\b/,
  /\b(?:can t|cannot|can not|unable to|not able to) (?:take|come to|answer|get to|pick up)\b/,
  /\b(?:number|party) (?:you have|you ve|you) (?:dialed|dialled|called|reached)\b/,
  /\b(?:not in service|been disconnected|cannot be completed)\b/,
  /\b(?:deje|deja|dejar|dejenos|dejanos|grabe)(?: \w+){0,2} (?:mensaje|recado)\b/,
  /\b(?:despues|al (?:oir|escuchar)) (?:de |del )?(?:la |el |oir )?(?:senal|tono|bip)\b/,
  /\bbuzon\b|\bcontestador(?:a)?\b/,
  /\bno (?:esta|estoy|se encuentra|se encuentran)(?: \w+)? disponibles?\b/,
  /\bno (?:puedo|podemos|puede) (?:atender|contestar|responder)/,
  /\b(?:deixe|deixa|deixar|grave)(?: \w+){0,2} (?:recado|mensagem)\b/,
  /\bapos o (?:sinal|bip|tom)\b|\bdepois do (?:sinal|bip)\b/,
  /\bcaixa postal\b|\bcaixa de mensagens\b|\bsecretaria eletronica\b/,
  /\bnao (?:esta|estou|se encontra)(?: \w+)? disponivel\b/,
  /\bnao (?:posso|podemos|pode) (?:atender|responder)/,
  /\b(?:laissez|laisser)(?: \w+){0,2} message\b/,
  /\bapres le (?:bip|signal)\b|\bmessagerie\b|\brepondeur\b/,
  /\bn (?:est|suis|sommes) pas disponible/,
  /\blasci(?:a|ate|are)?(?: \w+)? messaggio\b/,
  /\b(?:dopo il|al) (?:segnale|bip)\b|\bsegreteria\b/,
  /\bnon (?:e|sono)(?: \w+)? (?:disponibile|raggiungibile)\b/,
  /\bnach dem (?:signalton|ton|piep)/,
  /\b(?:hinterlassen|hinterlasse)(?: \w+){0,3} nachricht\b|\banrufbeantworter\b/,
  /\bnicht (?:erreichbar|verfugbar)\b/,
  /оставьте(?: [а-яё]+){0,3} сообщение|после (?:звукового )?сигнала|автоответчик|голосов(?:ая|ую|ой) почт/,
  /абонент[а-яё]* [а-яё ]*(?:недоступен|не отвечает|не может)/,
]

/** What only a person says, however long the sentence is. */
const person = [
  /\bhow (?:can|may) (?:i|we) help\b/,
  /\bwho (?:is|s) (?:this|that|calling|speaking)\b/,
  /\b(?:quien|de parte de quien) (?:habla|es|llama)\b|\ben que (?:puedo|le puedo|podemos)\b/,
  /\b(?:quem|com quem) (?:fala|e|esta falando|gostaria)\b|\b(?:em que|como) posso\b/,
]

/** Which kind of machine says such a thing; null if it may be anybody. */
export function machineSaying(text: string): 'voicemail' | 'screening' | null {
  const plain = plainOf(text)
  if (screening.some((form) => form.test(plain))) return 'screening'
  return voicemail.some((form) => form.test(plain)) ? 'voicemail' : null
}

export function isPersonSaying(text: string): boolean {
  const plain = plainOf(text)
  return person.some((form) => form.test(plain))
}

/** Lower case, Latin letters without their marks, everything else a single space. */
const plainOf = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/(?<=[a-z])\p{M}+/gu, '')
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
