/** Every bound of the page by its name. */
export const LIMITS = Object.freeze({
  /** Messages in one request for a page of history: what a screen shows first. */
  page: 50,
  /** Messages of one dialog that are kept and drawn at once. What is farther away is fetched again. */
  windowMessages: 250,
  /** Dialogs whose messages are kept while others are open. */
  dialogs: 8,
  /** Events that are kept for answers that were asked for before them. */
  recentEvents: 500,
  /** Messages that replies answer, and that are not in the window. */
  quotes: 200,
  /** Messages before the first unread one that are shown with it. */
  context: 10,
  /** Unread messages in one request, and how many the page follows one by one. */
  unreadPage: 500,
  unreadFollowed: 5000,
  /** Conversations in one request. */
  conversations: 200,
  /** Rows of a list of people that are drawn at once. */
  peopleRows: 200,
  /** Results of a search in one request. */
  results: 20,
  /** Bytes of a message, of UTF-8. */
  messageBytes: 65536,
  /** Characters and lines of a message that are shown before "Show all". */
  shortText: 3000,
  shortLines: 40,
  /** Characters of a message that a list or a quote shows. */
  excerpt: 120,
  /** A message that came so much later than it was written is marked. */
  lateMilliseconds: 60_000,
  /** Messages of one sender within this time stand together. */
  groupMilliseconds: 5 * 60_000,
  /** How long a request may take. */
  requestMilliseconds: 20_000,
  /** How often the page asks whether the node is there, and what other programs have read meanwhile. */
  pulseMilliseconds: 15_000,
  pulsePatience: 8_000,
  /** Waits between attempts to reach a lost node. */
  firstRetry: 500,
  longestRetry: 5_000,
  /** Bytes of one server-sent event. */
  eventBytes: 1 << 20,
  /** How long others are shown as typing, and how often the page says so itself. */
  typingShown: 10_000,
  typingSaid: 4_000,
  /** How often a conversation is fetched anew while much happens in it. */
  refreshMilliseconds: 250,
  /** Messages that are fetched anew at once; of more the whole window is. */
  refreshMessages: 20,
  /** Distance from an end of the dialog at which the next page is fetched, in pixels. */
  pagingDistance: 800,
  /** A message may be under way so long before its recipient, who is online, is said not to answer. */
  answerMilliseconds: 3_000,
  /** Drafts that are kept. */
  drafts: 100,
  /** Bytes of an emoji. */
  emojiBytes: 64,
  /** Files of one message, as the node allows them. */
  attachments: 64,
  /** Files that are sent to the node at once. */
  uploads: 2,
  /** How often the page draws how far a file is. */
  progressMilliseconds: 200,
  /** The last time by which a rate is reckoned, the shortest that gives one, and how often it was looked within it. */
  rateMilliseconds: 5_000,
  rateFrom: 500,
  rateSamples: 64,
  /** Files whose state is known. */
  files: 500,
  /** The largest file that a browser saves; larger ones are saved with the command line. */
  savedBytes: 512 * 2 ** 20,
  /** How long the content of a file may take. */
  contentMilliseconds: 10 * 60_000,
  /** How long what is saved is held for the browser. */
  savingMilliseconds: 60_000,
  /** Pictures that are held at once, their bytes, and how near to the screen one is held, in pixels. */
  pictures: 30,
  pictureBytes: 256 * 2 ** 20,
  nearPixels: 600,
  /** Banners that are drawn at once. */
  banners: 4,
});
