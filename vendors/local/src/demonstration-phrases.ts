/** What the demonstration model can say, and the words by which it knows what it was asked. */
export interface Phrases {
  /** How a person would name the language in a prompt, and words that only it uses. */
  named: RegExp
  telling: readonly string[]
  disclosure: string
  greeting: RegExp
  greet: (name: string | undefined) => string
  nameTold: RegExp
  glad: (name: string) => string
  nameAsked: RegExp
  yourName: (name: string) => string
  noName: string
  timeAsked: RegExp
  time: (time: string) => string
  thanks: RegExp
  welcome: string
  understood: (words: string) => string
  timeIn: (time: string, place: string) => string
  unknownPlace: (place: string) => string
  /** Asks for what a tool needs and was not said. */
  need: (what: string) => string
  nothing: string
}

const english: Phrases = {
  named: /\benglish\b|\blanguage:? *en\b/iu,
  telling: ['the', 'is', 'what', 'my', 'you', 'hello', 'please', 'and', 'to', 'i', 'thanks'],
  disclosure:
    "I am Switchroom's demonstration model, not a language model: I follow a few simple rules. For real answers, connect a model such as Ollama.",
  greeting: /\b(?:hello|hi|hey|good (?:morning|afternoon|evening))\b/iu,
  greet: (name) => (name === undefined ? 'Hello!' : `Hello, ${name}!`),
  nameTold:
    /\b(?:my name is|i am called|call me(?! +(?:back|at|on|when|later|tomorrow|again)\b)) +(\p{L}[\p{L}'-]*)/iu,
  glad: (name) => `Nice to meet you, ${name}.`,
  nameAsked: /\bwhat(?: is|'s|’s) my name\b/iu,
  yourName: (name) => `Your name is ${name}.`,
  noName: 'You have not told me your name.',
  timeAsked: /\bwhat(?:'s|’s| is)? (?:the )?time\b/iu,
  time: (time) => `It is ${time} here.`,
  thanks: /\b(?:thanks|thank you)\b/iu,
  welcome: 'You are welcome.',
  understood: (words) => `I understood: ${words}`,
  timeIn: (time, place) => `It is ${time} in ${place}.`,
  unknownPlace: (place) =>
    `I do not know the time zone of ${place}. I know those of large cities, such as Tokyo.`,
  need: (what) => `Please tell me the ${what}.`,
  nothing: 'I heard nothing yet.',
}

const spanish: Phrases = {
  named: /\bspanish\b|\bespañol\b|\bcastellano\b|\blanguage:? *es\b/iu,
  telling: ['el', 'la', 'es', 'qué', 'que', 'mi', 'hola', 'por', 'favor', 'y', 'gracias', 'llamo', 'hora'],
  disclosure:
    'Soy el modelo de demostración de Switchroom, no un modelo de lenguaje: sigo unas reglas sencillas. Para respuestas de verdad, conecte un modelo como Ollama.',
  greeting: /\b(?:hola|buenas|buenos días)/iu,
  greet: (name) => (name === undefined ? '¡Hola!' : `¡Hola, ${name}!`),
  nameTold: /\b(?:me llamo|mi nombre es) +(\p{L}[\p{L}'-]*)/iu,
  glad: (name) => `Mucho gusto, ${name}.`,
  nameAsked: /\bcómo me llamo\b|\bcuál es mi nombre\b/iu,
  yourName: (name) => `Se llama ${name}.`,
  noName: 'No me ha dicho su nombre.',
  timeAsked: /\bqué hora es\b/iu,
  time: (time) => `Aquí son las ${time}.`,
  thanks: /\bgracias\b/iu,
  welcome: 'De nada.',
  understood: (words) => `He entendido: ${words}`,
  timeIn: (time, place) => `En ${place} son las ${time}.`,
  unknownPlace: (place) =>
    `No conozco la zona horaria de ${place}. Conozco las de ciudades grandes, como Tokio.`,
  need: (what) => `Dígame, por favor: ${what}.`,
  nothing: 'Todavía no he oído nada.',
}

const portuguese: Phrases = {
  named: /\bportuguese\b|\bportuguês\b|\blanguage:? *pt\b/iu,
  telling: [
    'o',
    'é',
    'meu',
    'minha',
    'olá',
    'oi',
    'por',
    'favor',
    'e',
    'obrigado',
    'obrigada',
    'chamo',
    'são',
    'não',
  ],
  disclosure:
    'Sou o modelo de demonstração do Switchroom, não um modelo de linguagem: sigo algumas regras simples. Para respostas de verdade, ligue um modelo como o Ollama.',
  greeting: /(?:^|\s)(?:olá|oi|bom dia|boa tarde|boa noite)(?!\p{L})/iu,
  greet: (name) => (name === undefined ? 'Olá!' : `Olá, ${name}!`),
  nameTold: /\b(?:meu nome é|me chamo|chamo-me) +(\p{L}[\p{L}'-]*)/iu,
  glad: (name) => `Muito prazer, ${name}.`,
  nameAsked: /\bqual é o meu nome\b|\bcomo me chamo\b/iu,
  yourName: (name) => `O seu nome é ${name}.`,
  noName: 'Ainda não me disse o seu nome.',
  timeAsked: /\bque horas são\b/iu,
  time: (time) => `Aqui são ${time}.`,
  thanks: /\bobrigad[oa]\b/iu,
  welcome: 'De nada.',
  understood: (words) => `Entendi: ${words}`,
  timeIn: (time, place) => `Em ${place} são ${time}.`,
  unknownPlace: (place) =>
    `Não conheço o fuso horário de ${place}. Conheço os de cidades grandes, como Tóquio.`,
  need: (what) => `Diga-me, por favor: ${what}.`,
  nothing: 'Ainda não ouvi nada.',
}

const all = [english, spanish, portuguese]

export const disclosures = all.map(({ disclosure }) => disclosure)

/** After the language the prompt names, else the one the person's words are most like. */
export function phrasesFor(prompt: string, words: string): Phrases {
  const named = all.filter((phrases) => phrases.named.test(prompt))
  if (named.length === 1 && named[0]) return named[0]
  const spoken = words.toLowerCase().match(/\p{L}+/gu) ?? []
  const likeness = ({ telling }: Phrases) => spoken.filter((word) => telling.includes(word)).length
  return all.toSorted((a, b) => likeness(b) - likeness(a))[0] ?? english
}
