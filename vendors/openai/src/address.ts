export const openAiAddress = 'https://api.openai.com/v1'
