/// `docs/openapi.yaml`, from which `script/openapi` writes this file.
enum OpenAPIDocument {
    static let text = ##"""
        openapi: 3.1.0
        info:
          title: Earshot's local API
          version: "1"
          summary: What a program can do with a node on its own machine.
          description: |
            A node serves this API on the Unix socket `node.sock` in its home directory, which only its owner can open,
            and on 127.0.0.1 where it was started with `earshot up --http`. On TCP each request shows a token; on the
            socket a request without one is the owner's.

            Requests are taken as they are described here: an unknown field or query item, a field that is null or
            stands twice, or a second Host header is an error. Times are texts (ISO 8601 in UTC with milliseconds), and beside
            most of them stands the same in milliseconds since 1970. A field that has no value is left out. `x-scope`
            names the scope that a token needs; an operation without it takes any token. Of two kinds no token will do: `page` is
            for the page and the owner, and `owner` for the owner on the Unix socket alone. They are more than a token, or outlive it.

            Who has neither the scope `read` nor `all` is told ids and states of what they wrote themselves, and nothing else: the
            answers are then `MessageState`, `DraftState`, `ScheduledState`, `ConversationState` or `Named`, and an error names
            nobody and nothing that does not stand in the request.
        servers:
          - url: http://127.0.0.1:7117
            description: On loopback, with a token.
        security:
          - token: []
        tags:
          - name: node
            description: Who the node is, and how it does.
          - name: users
            description: Everybody whom the node has met.
          - name: conversations
            description: Conversations, and their histories.
          - name: messages
            description: Sending, states, taking back, erasing.
          - name: drafts
            description: Messages that programs prepare, and that a person sends or discards.
          - name: inbox
            description: What arrived, for programs that must miss nothing, and answer each message once.
          - name: events
            description: What happens, as it happens.
          - name: notifications
            description: Where the node's user is notified of messages, and of which.
          - name: files
            description: Files that messages bring along.
          - name: devices
            description: The devices of the node's own user, and the pairing with a new one.
          - name: tokens
            description: What lets programs use the node.

        paths:
          /v1/node:
            get:
              operationId: getNode
              tags: [node]
              summary: Who the node is, its version, and what it is doing.
              x-scope: read
              responses:
                "200":
                  description: The node.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Node"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/health:
            get:
              operationId: getHealth
              tags: [node]
              summary: Why messages flow, or why they do not. It may take some seconds.
              x-scope: read
              responses:
                "200":
                  description: What was checked, and what was found.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Finding"}}
                default: {$ref: "#/components/responses/Error"}

          /v1/metrics:
            get:
              operationId: getMetrics
              tags: [node]
              summary: What the node has counted, as Prometheus reads it.
              x-scope: read
              responses:
                "200":
                  description: Prometheus' text format 0.0.4.
                  content: {text/plain: {schema: {type: string}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/openapi.yaml:
            get:
              operationId: getDocument
              tags: [node]
              summary: This document.
              responses:
                "200":
                  description: OpenAPI 3.1.
                  content: {application/yaml: {schema: {type: object}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/users:
            get:
              operationId: listUsers
              tags: [users]
              summary: All known users, by name.
              x-scope: read
              responses:
                "200":
                  description: The users.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/User"}}
                default: {$ref: "#/components/responses/Error"}

          /v1/users/{user}:
            parameters: [{$ref: "#/components/parameters/user"}]
            get:
              operationId: getUser
              tags: [users]
              summary: One user.
              x-scope: read
              responses:
                "200": {$ref: "#/components/responses/User"}
                default: {$ref: "#/components/responses/Error"}

          /v1/profile:
            get:
              operationId: getOwnProfile
              tags: [users]
              summary: What this node's user says of themselves.
              x-scope: read
              responses:
                "200": {$ref: "#/components/responses/Profile"}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: updateOwnProfile
              tags: [users]
              summary: Say something of this node's user, to everybody to whom they have written or will write.
              description: What is left out stays as it is.
              x-scope: all
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        friendlyName: {type: string, description: "At most 256 bytes of UTF-8."}
                        attributes: {type: string, description: "A JSON object as text, or nothing. At most 16,384 bytes."}
                        picture: {type: string, contentEncoding: base64, description: "At most 32,768 bytes."}
                        isBot: {type: boolean, description: "`false` also removes the commands."}
                        commands: {type: array, maxItems: 64, items: {$ref: "#/components/schemas/BotCommand"}}
              responses:
                "200": {$ref: "#/components/responses/Profile"}
                default: {$ref: "#/components/responses/Error"}

          /v1/users/{user}/profile:
            parameters: [{$ref: "#/components/parameters/user"}]
            get:
              operationId: getProfile
              tags: [users]
              summary: What a user says of themselves. It is a label, and proves nothing.
              x-scope: read
              responses:
                "200": {$ref: "#/components/responses/Profile"}
                default: {$ref: "#/components/responses/Error"}

          /v1/users/{user}/safety-number:
            parameters: [{$ref: "#/components/parameters/user"}]
            get:
              operationId: getSafetyNumber
              tags: [users]
              summary: The number that two users compare, to be sure that nobody is in between.
              x-scope: read
              responses:
                "200":
                  description: The number.
                  content: {application/json: {schema: {$ref: "#/components/schemas/SafetyNumber"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/users/{user}/trust:
            parameters: [{$ref: "#/components/parameters/user"}]
            post:
              operationId: decideAboutUser
              tags: [users]
              summary: Accept, verify, block or unblock a user.
              x-scope: all
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [decision]
                      properties:
                        decision:
                          enum: [accept, verify, block, unblock]
                        name:
                          type: string
                          description: The user's name when the decision was made. With another now, nothing is done.
                    examples:
                      verify: {value: {decision: verify, name: bob}}
              responses:
                "200": {$ref: "#/components/responses/User"}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations:
            get:
              operationId: listConversations
              tags: [conversations]
              summary: The conversations in which something was written, the one with the latest arrival first.
              x-scope: read
              parameters:
                - $ref: "#/components/parameters/limit"
                - name: before
                  in: query
                  description: The page begins after this conversation.
                  schema: {$ref: "#/components/schemas/ID"}
              responses:
                "200":
                  description: The conversations.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Conversation"}}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: beginConversation
              tags: [conversations]
              summary: Join an open conversation, which begins with that if nobody was first; or begin a private one.
              description: |
                The id of an open one follows from its name and the network, so it does not matter who is first. Whoever joins gets
                the whole history from the participants. Joining twice is joining once.

                A private one belongs to whoever begins it, who needs the scope `all`. Its name is theirs once, until they close it
                (409 `conversationExists`, or the one that is there with `orGet`). Who is invited hears of it when they are met.
              x-scope: send
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [uniqueName]
                      properties:
                        uniqueName: {$ref: "#/components/schemas/ConversationName"}
                        kind: {enum: [open, private], default: open}
                        isAdvertised:
                          type: boolean
                          description: |
                            Only of an open one: whether linked users who have not joined it are told its name. They are, unless this
                            is `false`.
                        friendlyName: {$ref: "#/components/schemas/FriendlyName"}
                        attributes: {$ref: "#/components/schemas/Attributes"}
                        givesHistory:
                          type: boolean
                          description: |
                            Only of a private one: whether who joins is given what was written before; they are not, unless this is
                            `true`.
                        invite:
                          type: array
                          maxItems: 127
                          description: "Only of a private one: who is invited, named as in `sendMessage`."
                          items: {type: string}
                        orGet:
                          type: boolean
                          description: |
                            Only of a private one: whether one of that name that this node's user has begun, and not closed, is answered
                            as it is, whatever else the request says. It is refused with 409, unless this is `true`.
                    examples:
                      ops: {value: {uniqueName: ops}}
                      private: {value: {uniqueName: crew, kind: private, friendlyName: The crew, givesHistory: true, invite: [bob]}}
              responses:
                "201":
                  description: This node's user belongs to it.
                  content:
                    application/json:
                      schema:
                        oneOf:
                          - {$ref: "#/components/schemas/Conversation"}
                          - {$ref: "#/components/schemas/ConversationState"}
                default: {$ref: "#/components/responses/Error"}

          /v1/advertised:
            get:
              operationId: listAdvertised
              tags: [conversations]
              summary: Open conversations whose names linked users tell, and which this node's user has not joined.
              x-scope: read
              responses:
                "200":
                  description: The conversations, by name.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/AdvertisedConversation"}}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            get:
              operationId: getConversation
              tags: [conversations]
              summary: One conversation.
              x-scope: read
              responses:
                "200":
                  description: The conversation.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Conversation"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/messages:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            get:
              operationId: listMessages
              tags: [conversations]
              summary: A page of a conversation's history, ascending.
              description: |
                Without `before` and `after` it is the last page. Go from page to page in one order. Whoever asks in the order of
                arrival, and goes on after the last message that they got so, misses none. A request has `before` or `after`, and
                not both.
              x-scope: read
              parameters:
                - $ref: "#/components/parameters/limit"
                - name: before
                  in: query
                  description: The page ends just before this message.
                  schema: {$ref: "#/components/schemas/MessageName"}
                - name: after
                  in: query
                  description: The page begins just after this message.
                  schema: {$ref: "#/components/schemas/MessageName"}
                - name: order
                  in: query
                  description: |
                    The order of the whole history: `time`, as it was written, by the authors' clocks; or `arrival`, as it reached the
                    node's disk.
                  schema: {enum: [time, arrival], default: time}
                - name: blocked
                  in: query
                  description: Whether a group's history has what users wrote whom this node's user has blocked.
                  schema: {type: boolean, default: false}
              responses:
                "200":
                  description: The messages.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Message"}}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/unread:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            get:
              operationId: listUnread
              tags: [conversations]
              summary: A page of the messages of others that were not read, ascending by time.
              description: |
                What comes late is unread wherever its time puts it, also before messages that were read long ago. Whoever asks
                with `after` for what follows a message, and gets nothing, finds what came late at the first page.
              x-scope: read
              parameters:
                - $ref: "#/components/parameters/limit"
                - name: after
                  in: query
                  description: The page begins just after this message. Without it, it begins at the first unread one.
                  schema: {$ref: "#/components/schemas/MessageName"}
              responses:
                "200":
                  description: The messages.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Message"}}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/read:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: markRead
              tags: [conversations]
              summary: Tell the others that a message was seen, and all that had arrived before it; or all that is here.
              x-scope: send
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        upTo: {$ref: "#/components/schemas/MessageName"}
                        all: {const: true}
                      oneOf: [{required: [upTo]}, {required: [all]}]
                    examples:
                      upTo: {value: {upTo: 3fk9qbmj-12}}
                      all: {value: {all: true}}
              responses:
                "204": {description: It is marked.}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/typing:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: setTyping
              tags: [conversations]
              summary: Tell the linked participants that this node's user types, or has stopped.
              description: |
                They show it for 10 s: while the user goes on, say it again at least every 5 s. It may be said at each key; the
                node passes it on only now and then. A message ends it. Nothing of it is stored.
              x-scope: send
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [isTyping]
                      properties:
                        isTyping: {type: boolean}
              responses:
                "204": {description: Whoever is linked has been told.}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/participants:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            get:
              operationId: listParticipants
              tags: [conversations]
              summary: A page of the participants, this node's own user among them, ascending by key.
              x-scope: read
              parameters:
                - $ref: "#/components/parameters/limit"
                - name: after
                  in: query
                  description: The page begins after this user, who is named as in `{user}`.
                  schema: {type: string, minLength: 1}
                - name: former
                  in: query
                  description: Whether those come, too, who have left or were removed.
                  schema: {enum: ["true", "false"], default: "false"}
              responses:
                "200":
                  description: The participants.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Participant"}}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/join:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: joinConversation
              tags: [conversations]
              summary: Join a conversation that this node knows, such as a private one that its user is invited to.
              x-scope: send
              responses:
                "200": {$ref: "#/components/responses/Conversation"}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/leave:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: leaveConversation
              tags: [conversations]
              summary: Leave a conversation of many, or decline an invitation. What is here of it stays, and can be read.
              description: |
                An owner does not leave (403 `notOwner`): they hand the conversation over, or close it.
              x-scope: send
              responses:
                "200": {$ref: "#/components/responses/Conversation"}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/invite:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: invite
              tags: [conversations]
              summary: Invite users to a private conversation of this node's user. Who is in or invited stays so.
              x-scope: all
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [users]
                      properties:
                        users:
                          type: array
                          maxItems: 127
                          description: Named as in `sendMessage`.
                          items: {type: string}
                    examples:
                      bob: {value: {users: [bob]}}
              responses:
                "200":
                  description: The conversation.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Conversation"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/remove:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: removeParticipant
              tags: [conversations]
              summary: Remove a user from a private conversation of this node's user.
              description: |
                What they write from then on counts for nobody who hears of it. What they have, they keep.
              x-scope: all
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [user]
                      properties:
                        user: {type: string, description: Named as in `sendMessage`.}
                    examples:
                      bob: {value: {user: bob}}
              responses:
                "200":
                  description: The conversation.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Conversation"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/hand-over:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: handOver
              tags: [conversations]
              summary: Offer a private conversation of this node's user to another participant. It cannot be taken back.
              description: |
                They own it as soon as a device of theirs hears of it. Only what was begun on a device with the identity can be handed
                over (403 `needsPrimary`).
              x-scope: all
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [user]
                      properties:
                        user: {type: string, description: Named as in `sendMessage`.}
                    examples:
                      bob: {value: {user: bob}}
              responses:
                "200":
                  description: The conversation.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Conversation"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/close:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: closeConversation
              tags: [conversations]
              summary: End a private conversation of this node's user for all. What is there stays, and can be read.
              x-scope: all
              responses:
                "200":
                  description: The conversation.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Conversation"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/update:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: updateConversation
              tags: [conversations]
              summary: Give a private conversation of this node's user another friendly name, or other attributes.
              description: |
                What is left out stays. An empty text takes it away.
              x-scope: all
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        friendlyName: {$ref: "#/components/schemas/FriendlyName"}
                        attributes: {$ref: "#/components/schemas/Attributes"}
                    examples:
                      name: {value: {friendlyName: The crew}}
              responses:
                "200":
                  description: The conversation.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Conversation"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/erase:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: eraseConversation
              tags: [conversations]
              summary: Overwrite the contents of all messages of a conversation, here and on the user's other devices. It may take long.
              x-scope: all
              responses:
                "200":
                  description: What was erased, and what is still needed.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Erasure"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/messages:
            post:
              operationId: sendMessage
              tags: [messages]
              summary: Send a text to a user or a conversation, or to several. The answer comes when it is on this node's disk.
              x-scope: send
              parameters: [{$ref: "#/components/parameters/idempotencyKey"}]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [to, text]
                      properties:
                        to:
                          description: |
                            A user: a name, a name with the beginning of the fingerprint (`bob@3fk9qbmj`), or a key. Or a
                            conversation of many that this node's user belongs to: `#` and its name, or its id. A list sends to each
                            of them in their own conversation; who is named twice gets the message once. A list takes no `session`.
                          oneOf:
                            - {type: string}
                            - {type: array, minItems: 1, maxItems: 64, items: {type: string}}
                        text:
                          type: string
                          maxLength: 65536
                          description: At most 65,536 bytes of UTF-8. It may be empty beside `attachments`.
                        headers:
                          type: object
                          description: From programs, for programs. At most 8,192 bytes in all.
                          maxProperties: 64
                          propertyNames: {minLength: 1}
                          additionalProperties: {type: string}
                        timeToLiveSeconds:
                          description: It fails if it is not delivered within this time; 30 days unless given.
                          $ref: "#/components/schemas/Seconds"
                        attachments: {$ref: "#/components/schemas/Attachments"}
                        mentions: {$ref: "#/components/schemas/Mentions"}
                        layout: {$ref: "#/components/schemas/NewLayout"}
                        session: {$ref: "#/components/schemas/SessionStep"}
                    examples:
                      hello: {value: {to: bob, text: hello}}
                      several: {value: {to: [bob, carol], text: hello}}
              responses:
                "201":
                  description: It is on the disk, and is never lost. For a list of recipients, each of them has a message.
                  content:
                    application/json:
                      schema:
                        oneOf:
                          - {$ref: "#/components/schemas/Message"}
                          - {$ref: "#/components/schemas/MessageState"}
                          - {$ref: "#/components/schemas/SendResults"}
                "207":
                  description: For some of a list of recipients nothing was accepted. The others have their messages.
                  content: {application/json: {schema: {$ref: "#/components/schemas/SendResults"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/search:
            get:
              operationId: searchMessages
              tags: [messages]
              summary: Messages that hold words, those that arrived last first.
              description: |
                It finds what messages show now, in all conversations, and nothing that was edited away, taken back or erased.
                Whoever wants more than a page asks again with `before` and the last message of the page.
              x-scope: read
              parameters:
                - $ref: "#/components/parameters/limit"
                - name: text
                  in: query
                  required: true
                  description: |
                    Words, all of which a message holds; `"several words"` that stand next to each other; the beginning of a word
                    as `depl*`. Letters' case and accents do not matter. At most 1,024 bytes, and 16 words or quoted parts.
                  schema: {type: string}
                - name: conversation
                  in: query
                  description: "Where: a conversation's id, `#` and its name, or its user."
                  schema: {type: string}
                - name: sender
                  in: query
                  description: "Who: a user's name, fingerprint or key, or the node's own name."
                  schema: {type: string}
                - name: since
                  in: query
                  description: Written at this time or later, by the author's clock.
                  schema: {type: string, format: date-time}
                - name: until
                  in: query
                  description: Written before this time.
                  schema: {type: string, format: date-time}
                - name: before
                  in: query
                  description: Only what arrived before this message.
                  schema: {$ref: "#/components/schemas/MessageName"}
              responses:
                "200":
                  description: The messages.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Message"}}
                default: {$ref: "#/components/responses/Error"}

          /v1/messages/erase:
            post:
              operationId: eraseMessages
              tags: [messages]
              summary: Overwrite the contents of messages, here and on the user's other devices; of all of them or of none.
              x-scope: all
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [messages]
                      properties:
                        messages:
                          type: array
                          items: {$ref: "#/components/schemas/MessageName"}
              responses:
                "200":
                  description: The messages, without their contents.
                  content:
                    application/json:
                      schema:
                        type: object
                        additionalProperties: false
                        required: [messages, isOverwritten]
                        properties:
                          messages: {type: array, items: {$ref: "#/components/schemas/Message"}}
                          isOverwritten: {$ref: "#/components/schemas/IsOverwritten"}
                default: {$ref: "#/components/responses/Error"}

          /v1/messages/{message}:
            parameters: [{$ref: "#/components/parameters/message"}]
            get:
              operationId: getMessage
              tags: [messages]
              summary: A message, and its state for each recipient.
              x-scope: read
              responses:
                "200": {$ref: "#/components/responses/Message"}
                default: {$ref: "#/components/responses/Error"}

          /v1/messages/{message}/cancel:
            parameters: [{$ref: "#/components/parameters/message"}]
            post:
              operationId: cancelMessage
              tags: [messages]
              summary: Take back a message that has not left this machine.
              x-scope: send
              responses:
                "200": {$ref: "#/components/responses/ChangedMessage"}
                default: {$ref: "#/components/responses/Error"}

          /v1/messages/{message}/reply:
            parameters: [{$ref: "#/components/parameters/message"}]
            post:
              operationId: replyToMessage
              tags: [messages]
              summary: Answer a message, in its conversation.
              description: A message that its author took back gets 409 (`retracted`).
              x-scope: send
              parameters: [{$ref: "#/components/parameters/idempotencyKey"}]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [text]
                      properties:
                        text: {type: string, maxLength: 65536}
                        headers: {type: object, maxProperties: 64, additionalProperties: {type: string}}
                        timeToLiveSeconds: {$ref: "#/components/schemas/Seconds"}
                        attachments: {$ref: "#/components/schemas/Attachments"}
                        layout: {$ref: "#/components/schemas/NewLayout"}
                        mentions: {$ref: "#/components/schemas/Mentions"}
                        inPlace:
                          type: boolean
                          default: false
                          description: |
                            Whether a reply that was sent before with the same `Idempotency-Key`, which is needed then, gets this text
                            instead. So a program shows how far it has come. One that was taken back stays so.
              responses:
                "201": {$ref: "#/components/responses/NewMessage"}
                default: {$ref: "#/components/responses/Error"}

          /v1/messages/{message}/edit:
            parameters: [{$ref: "#/components/parameters/message"}]
            post:
              operationId: editMessage
              tags: [messages]
              summary: Give an own message another text.
              description: |
                Whoever has the message sees the new text; its headers and its layout stay. A message of somebody else gets 403 (`notAuthor`), one
                that was taken back 409 (`retracted`).
              x-scope: send
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [text]
                      properties:
                        text: {type: string, minLength: 1, maxLength: 65536}
              responses:
                "200": {$ref: "#/components/responses/ChangedMessage"}
                default: {$ref: "#/components/responses/Error"}

          /v1/messages/{message}/retract:
            parameters: [{$ref: "#/components/parameters/message"}]
            post:
              operationId: retractMessage
              tags: [messages]
              summary: Take back an own message that may have been delivered.
              description: |
                Whoever has the message shows that it was taken back, and its texts are erased from their disks and from this one.
                A text that is on its way is erased here when it is delivered. What has not left this machine is better cancelled:
                then nobody ever gets it.
              x-scope: send
              responses:
                "200": {$ref: "#/components/responses/ChangedMessage"}
                default: {$ref: "#/components/responses/Error"}

          /v1/messages/{message}/react:
            parameters: [{$ref: "#/components/parameters/message"}]
            post:
              operationId: reactToMessage
              tags: [messages]
              summary: React to a message with an emoji, or take that back.
              description: Each user reacts once with each emoji; who asks again changes nothing.
              x-scope: send
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [emoji]
                      properties:
                        emoji: {type: string, minLength: 1, maxLength: 64, description: At most 64 bytes of UTF-8.}
                        remove: {type: boolean, default: false}
              responses:
                "200": {$ref: "#/components/responses/ChangedMessage"}
                default: {$ref: "#/components/responses/Error"}

          /v1/scheduled:
            get:
              operationId: listScheduled
              tags: [messages]
              summary: The messages that wait for their time, the first due first.
              x-scope: read
              responses:
                "200":
                  description: The messages.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Scheduled"}}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: scheduleMessage
              tags: [messages]
              summary: Send a text later. It takes its place in the history when it is due.
              x-scope: send
              parameters: [{$ref: "#/components/parameters/idempotencyKey"}]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [to, text, notBefore]
                      properties:
                        to:
                          type: string
                          description: A user or a conversation, as in `sendMessage`.
                        text: {type: string, maxLength: 65536}
                        headers: {type: object, maxProperties: 64, additionalProperties: {type: string}}
                        timeToLiveSeconds: {$ref: "#/components/schemas/Seconds"}
                        attachments: {$ref: "#/components/schemas/Attachments"}
                        layout: {$ref: "#/components/schemas/NewLayout"}
                        notBefore:
                          type: string
                          description: When it is due, in ISO 8601 with a time zone.
                          examples: ["2026-01-31T09:30:00Z"]
              responses:
                "201":
                  description: It is on the disk; or it was before, under the same key.
                  content:
                    application/json:
                      schema:
                        oneOf:
                          - {$ref: "#/components/schemas/Scheduled"}
                          - {$ref: "#/components/schemas/ScheduledState"}
                default: {$ref: "#/components/responses/Error"}

          /v1/scheduled/{scheduled}:
            parameters:
              - name: scheduled
                in: path
                required: true
                schema: {type: string, minLength: 1}
            delete:
              operationId: cancelScheduled
              tags: [messages]
              summary: Cancel a message that waits for its time.
              x-scope: send
              responses:
                "204": {description: It will not be sent.}
                default: {$ref: "#/components/responses/Error"}

          /v1/drafts:
            get:
              operationId: listDrafts
              tags: [drafts]
              summary: The drafts that wait for a person, the oldest first.
              description: |
                A token without the scope `all` sees those that were inserted with a token of its name, and no others.
              x-scope: draft
              parameters:
                - name: conversation
                  in: query
                  description: Only those of this user or conversation.
                  schema: {type: string, minLength: 1}
              responses:
                "200":
                  description: The drafts.
                  content:
                    application/json:
                      schema:
                        type: array
                        items:
                          oneOf:
                            - {$ref: "#/components/schemas/Draft"}
                            - {$ref: "#/components/schemas/DraftState"}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: insertDraft
              tags: [drafts]
              summary: Prepare a message that a person sends or discards. It leaves the node only when a person sends it.
              description: |
                With an `Idempotency-Key`, whoever inserts it again gets the same draft, as a person may have changed it, with its
                `messageID` if it was sent; one that was discarded gets 409 (`draftDiscarded`). A conversation has at most 16 drafts, a
                program 128, and a node 1024: one more gets 409 (`tooManyDrafts`) until one is sent or discarded.
              x-scope: draft
              parameters: [{$ref: "#/components/parameters/idempotencyKey"}]
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [to, text]
                      properties:
                        to:
                          type: string
                          description: A user or a conversation, as in `sendMessage`.
                        text: {type: string, maxLength: 65536, description: It may be empty beside `attachments`.}
                        headers: {type: object, maxProperties: 64, additionalProperties: {type: string}}
                        timeToLiveSeconds: {$ref: "#/components/schemas/Seconds"}
                        attachments: {$ref: "#/components/schemas/Attachments"}
                        layout: {$ref: "#/components/schemas/NewLayout"}
                        mentions: {$ref: "#/components/schemas/Mentions"}
                        insertedBy:
                          $ref: "#/components/schemas/TokenName"
                          description: The program, where no token says it; a person without it. What a token inserts bears its name.
              responses:
                "201":
                  description: It is on the disk; or it was before, under the same key.
                  content:
                    application/json:
                      schema:
                        oneOf:
                          - {$ref: "#/components/schemas/Draft"}
                          - {$ref: "#/components/schemas/DraftState"}
                default: {$ref: "#/components/responses/Error"}

          /v1/drafts/{draft}:
            parameters: [{$ref: "#/components/parameters/draft"}]
            get:
              operationId: getDraft
              tags: [drafts]
              summary: One draft that waits.
              x-scope: draft
              responses:
                "200": {$ref: "#/components/responses/Draft"}
                default: {$ref: "#/components/responses/Error"}
            delete:
              operationId: discardDraft
              tags: [drafts]
              summary: Discard a draft. Its content is gone. A program withdraws its own so.
              x-scope: draft
              responses:
                "204": {description: It is gone.}
                default: {$ref: "#/components/responses/Error"}

          /v1/drafts/{draft}/edit:
            parameters: [{$ref: "#/components/parameters/draft"}]
            post:
              operationId: editDraft
              tags: [drafts]
              summary: Give a draft another text.
              x-scope: draft
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [text]
                      properties:
                        text: {type: string, minLength: 1, maxLength: 65536}
              responses:
                "200": {$ref: "#/components/responses/Draft"}
                default: {$ref: "#/components/responses/Error"}

          /v1/drafts/{draft}/send:
            parameters: [{$ref: "#/components/parameters/draft"}]
            post:
              operationId: sendDraft
              tags: [drafts]
              summary: Send a draft, as a person decides. However often it is sent, it becomes one message.
              description: |
                The draft goes in the commit in which the message takes its place in the history. A token with the scope `draft` cannot
                do this, and one with the scope `send` only with its own drafts.
              x-scope: send
              responses:
                "201": {$ref: "#/components/responses/NewMessage"}
                default: {$ref: "#/components/responses/Error"}

          /v1/inbox:
            get:
              operationId: receive
              tags: [inbox]
              summary: What is next for a consumer, in the order of arrival, until it is acknowledged.
              description: |
                An unknown consumer is made, and begins now. One reader at a time receives for a consumer; the next gets 409.
                A reader that leaves makes room for the next at once. A consumer belongs to the token with which it was made, and to a
                later token of the same name: other programs that name it so have one of their own. A token makes at most 8.
                Who has acknowledged nothing and asks again gets the same messages. Within 30 seconds that is the same hand-out;
                later the one before was in vain. After two hand-outs in vain a consumer gets one message at a time; after
                `attempts` that one is set aside.
                A node has at most 128 consumers: one more gets 409 (`tooManyConsumers`) until one is removed.
              x-scope: read
              parameters:
                - name: consumer
                  in: query
                  required: true
                  schema: {$ref: "#/components/schemas/NamedConsumer"}
                - $ref: "#/components/parameters/limit"
                - name: wait
                  in: query
                  description: How many seconds to wait for a message if there is none.
                  schema: {type: integer, minimum: 0, maximum: 300, default: 0}
                - name: automatic
                  in: query
                  description: Whether messages come, too, that programs have sent by themselves (RFC 3834).
                  schema: {enum: ["true", "false"], default: "false"}
                - name: attempts
                  in: query
                  schema: {type: integer, minimum: 1, maximum: 1000, default: 5}
              responses:
                "200":
                  description: The messages; none if nothing came in time.
                  content:
                    application/json:
                      schema:
                        type: object
                        additionalProperties: false
                        required: [messages, cursor, cursors]
                        properties:
                          messages: {type: array, items: {$ref: "#/components/schemas/Message"}}
                          cursor: {$ref: "#/components/schemas/InboxCursor"}
                          cursors:
                            type: array
                            description: The place of each message.
                            items: {$ref: "#/components/schemas/InboxCursor"}
                default: {$ref: "#/components/responses/Error"}

          /v1/inbox/{consumer}:
            parameters: [{$ref: "#/components/parameters/consumer"}]
            post:
              operationId: acknowledge
              tags: [inbox]
              summary: Acknowledge messages and send others, all in one commit or not at all.
              description: |
                An acknowledgement that is repeated sends nothing, and is answered as the first time. Acknowledge in the order
                of arrival: if everything up to `ack` is acknowledged already, a message that was not sent with that is refused
                with 409 (`alreadyAcknowledged`).
                What is sent carries the header `auto-submitted: auto-replied` (RFC 3834), unless it has one of its own.
              x-scope: read
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [ack]
                      properties:
                        ack: {type: string, description: A cursor from the inbox.}
                        send:
                          type: array
                          description: Needs the scope send; for drafts the scope draft is enough.
                          maxItems: 4096
                          items:
                            type: object
                            additionalProperties: false
                            required: [text]
                            anyOf:
                              - required: [to]
                              - required: [answering]
                            properties:
                              to:
                                type: string
                                description: |
                                  A user or a conversation, as in `sendMessage`. Without it the message goes into the conversation of
                                  the one that it answers, which `answering` must name then.
                              text: {type: string, maxLength: 65536}
                              headers: {type: object, maxProperties: 64, additionalProperties: {type: string}}
                              timeToLiveSeconds: {$ref: "#/components/schemas/Seconds"}
                              attachments: {$ref: "#/components/schemas/Attachments"}
                              layout: {$ref: "#/components/schemas/NewLayout"}
                              mentions: {$ref: "#/components/schemas/Mentions"}
                              isReply:
                                type: boolean
                                default: false
                                description: Whether it is shown as a reply to the message that it answers.
                              answering:
                                description: |
                                  The message that it answers; the last that is acknowledged unless given. It is acknowledged by
                                  this call.
                                $ref: "#/components/schemas/MessageName"
                              idempotencyKey: {type: string, minLength: 1, maxLength: 255}
                              notBefore:
                                type: string
                                description: When it goes out, in ISO 8601 with a time zone; at once unless given. Only what goes to a user waits.
                                examples: ["2026-01-31T09:30:00Z"]
                              session: {$ref: "#/components/schemas/SessionStep"}
                              isDraft:
                                type: boolean
                                default: false
                                description: Whether it becomes a draft, which a person sends or discards. It has no `notBefore`.
                        edit:
                          type: array
                          description: Other texts for messages of this node's user. Needs the scope send.
                          maxItems: 4096
                          items:
                            type: object
                            additionalProperties: false
                            required: [message, text]
                            properties:
                              message: {$ref: "#/components/schemas/MessageName"}
                              text: {type: string, minLength: 1, maxLength: 65536}
                        react:
                          type: array
                          description: Reactions to messages. Needs the scope send.
                          maxItems: 4096
                          items:
                            type: object
                            additionalProperties: false
                            required: [message, emoji]
                            properties:
                              message: {$ref: "#/components/schemas/MessageName"}
                              emoji: {type: string, minLength: 1, maxLength: 64}
                              remove: {type: boolean, default: false, description: Whether the reaction is taken back.}
              responses:
                "200":
                  description: The messages that were sent, now or the first time. What goes out later is among those scheduled.
                  content:
                    application/json:
                      schema:
                        type: object
                        additionalProperties: false
                        required: [messages]
                        properties:
                          messages: {type: array, items: {$ref: "#/components/schemas/Message"}}
                default: {$ref: "#/components/responses/Error"}

          /v1/inbox/{consumer}/fail:
            parameters: [{$ref: "#/components/parameters/consumer"}]
            post:
              operationId: fail
              tags: [inbox]
              summary: Say why nothing can be done with a message now. It comes again, or is set aside with the reason.
              description: |
                The message is the first that the consumer was handed and has not acknowledged; for any other it gets 409
                (`notHandedOut`). The hand-out is over, and counts as one in vain at once.
              x-scope: read
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [message, reason]
                      properties:
                        message: {$ref: "#/components/schemas/MessageName"}
                        reason: {type: string, description: For people. The first 500 characters are kept.}
              responses:
                "200":
                  description: It is noted.
                  content:
                    application/json:
                      schema:
                        type: object
                        additionalProperties: false
                        required: [isSetAside]
                        properties:
                          isSetAside: {type: boolean, description: "Whether the message is set aside now, or comes again."}
                default: {$ref: "#/components/responses/Error"}

          /v1/consumers:
            get:
              operationId: listConsumers
              tags: [inbox]
              summary: The consumers, with how far they have come. A token without the scope `all` sees its own.
              x-scope: read
              responses:
                "200":
                  description: The consumers, by name.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Consumer"}}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: createConsumer
              tags: [inbox]
              summary: Make a consumer.
              x-scope: read
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [name]
                      properties:
                        name: {$ref: "#/components/schemas/ConsumerName"}
                        from: {$ref: "#/components/schemas/InboxStart"}
              responses:
                "201":
                  description: The consumer.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Consumer"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/consumers/{consumer}:
            parameters: [{$ref: "#/components/parameters/consumer"}]
            delete:
              operationId: removeConsumer
              tags: [inbox]
              summary: Remove a consumer, and what is set aside for it.
              x-scope: all
              responses:
                "204": {description: It is gone.}
                default: {$ref: "#/components/responses/Error"}

          /v1/consumers/{consumer}/move:
            parameters: [{$ref: "#/components/parameters/consumer"}]
            post:
              operationId: moveConsumer
              tags: [inbox]
              summary: Move a consumer to another place.
              description: |
                Messages that are set aside and came before that place stay so. Others come again in their turn. Those that were
                to come once more do so in their turn, or not at all if they came before that place.
              x-scope: all
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        from: {$ref: "#/components/schemas/InboxStart"}
              responses:
                "204": {description: It goes on from there.}
                default: {$ref: "#/components/responses/Error"}

          /v1/consumers/{consumer}/set-aside:
            parameters: [{$ref: "#/components/parameters/consumer"}]
            get:
              operationId: listSetAside
              tags: [inbox]
              summary: The messages that were handed to a consumer too often in vain.
              x-scope: read
              responses:
                "200":
                  description: The messages, and why.
                  content:
                    application/json:
                      schema:
                        type: array
                        items:
                          type: object
                          additionalProperties: false
                          required: [message, reason, time]
                          properties:
                            message: {$ref: "#/components/schemas/Message"}
                            reason: {type: string}
                            time: {$ref: "#/components/schemas/Time"}
                default: {$ref: "#/components/responses/Error"}

          /v1/consumers/{consumer}/set-aside/{message}/again:
            parameters:
              - {$ref: "#/components/parameters/consumer"}
              - {$ref: "#/components/parameters/message"}
            post:
              operationId: handOutAgain
              tags: [inbox]
              summary: Hand a message out once more that is set aside. It comes alone, before all others.
              x-scope: all
              responses:
                "204": {description: It is next.}
                default: {$ref: "#/components/responses/Error"}

          /v1/events:
            get:
              operationId: streamEvents
              tags: [events]
              summary: Events as they happen, as server-sent events.
              description: |
                The stream begins at once and ends with the node, or with the client. Each event's data is one `Event`.

                Events that follow from commits have an `id`: `messageQueued`, `messageReceived`, `messageSent`,
                `messageDelivered`, `messageHandled`, `messageRead`, `messageFailed`, `draftInserted`, `draftUpdated`, `draftSent`,
                `draftDiscarded`, `userDiscovered` and `userUpdated`. The node keeps them for 30 days. A client that names the last one it knows gets all that followed, once and in order. If some of that is
                gone, `eventsGone` comes first, and then all that is left. The stream also gives an `id` without an event where
                it begins and now and then, so that a client can go on from there that has asked for few events, or has seen
                none yet. Other events have no id, and come only as they happen; a client that reads too slowly is told how many
                of these it has lost, at the place where they are missing.

                A token needs the scope `read`. One with the scope `draft` and without `read` is given the events of its own drafts and
                no others.
              parameters:
                - name: names
                  in: query
                  description: Only these events, separated by commas. `eventsLost` and `eventsGone` are always among them.
                  schema: {type: string, pattern: "^[a-zA-Z]+(,[a-zA-Z]+)*$"}
                  example: messageReceived,messageDelivered
                - name: count
                  in: query
                  description: After so many events the stream ends. It does not, unless given.
                  schema: {type: integer, minimum: 1, maximum: 1000}
                - name: after
                  in: query
                  description: The `id` of the last event that the client knows.
                  schema: {$ref: "#/components/schemas/EventID"}
                - name: Last-Event-ID
                  in: header
                  description: The same, from a client that connects anew. It counts for more than `after`, unless it is empty.
                  schema: {anyOf: [{$ref: "#/components/schemas/EventID"}, {const: ""}]}
              responses:
                "200":
                  description: "WHATWG HTML, section 9.2: `id` is the event's, `event` its name, `data` the event."
                  content:
                    text/event-stream:
                      schema:
                        description: Each event of the stream.
                        type: object
                        additionalProperties: false
                        required: [event, data]
                        properties:
                          id: {$ref: "#/components/schemas/EventID"}
                          event: {$ref: "#/components/schemas/EventName"}
                          data:
                            type: string
                            contentMediaType: application/json
                            contentSchema: {$ref: "#/components/schemas/Event"}
                default: {$ref: "#/components/responses/Error"}

          /v1/devices:
            get:
              operationId: listDevices
              tags: [devices]
              summary: This device, and the others of its user that it knows.
              x-scope: read
              responses:
                "200":
                  description: The devices, this one first.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Device"}}
                default: {$ref: "#/components/responses/Error"}

          /v1/devices/{device}/name:
            parameters:
              - {$ref: "#/components/parameters/device"}
            post:
              operationId: renameDevice
              tags: [devices]
              summary: Call a device by another name, on all devices of the user.
              x-scope: owner
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [name]
                      properties:
                        name: {type: string, description: At most 63 bytes of UTF-8 on one line; empty to take the name away.}
                    examples:
                      desktop: {value: {name: desktop}}
              responses:
                "200": {$ref: "#/components/responses/Device"}
                default: {$ref: "#/components/responses/Error"}

          /v1/devices/{device}/revoke:
            parameters:
              - {$ref: "#/components/parameters/device"}
            post:
              operationId: revokeDevice
              tags: [devices]
              summary: Revoke a device for good. Only a device that holds the identity can (`needsPrimary`).
              x-scope: owner
              responses:
                "200": {$ref: "#/components/responses/Device"}
                default: {$ref: "#/components/responses/Error"}

          /v1/pairing:
            get:
              operationId: getPairing
              tags: [devices]
              summary: Where the pairing with a new device is.
              x-scope: owner
              parameters:
                - name: unlike
                  in: query
                  description: Wait until the pairing is in another state than this.
                  schema: {$ref: "#/components/schemas/PairingState"}
                - name: wait
                  in: query
                  description: So many seconds at most.
                  schema: {type: integer, minimum: 0, maximum: 30, default: 0}
              responses:
                "200": {$ref: "#/components/responses/Pairing"}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: beginPairing
              tags: [devices]
              summary: Offer a one-time code to a new device; it ends an earlier one. Its text is in this answer and nowhere else.
              x-scope: owner
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        withIdentity:
                          type: boolean
                          description: Whether the new device gets the identity, too, and becomes a primary one.
                        validForSeconds:
                          description: How long the credential of a linked device is valid; 90 days unless given.
                          $ref: "#/components/schemas/Seconds"
                    examples:
                      linked: {value: {}}
              responses:
                "201":
                  description: The code.
                  content:
                    application/json:
                      schema:
                        type: object
                        additionalProperties: false
                        required: [code, expiresInSeconds]
                        properties:
                          code: {type: string, description: What the user types on the new device.}
                          expiresInSeconds: {type: number}
                default: {$ref: "#/components/responses/Error"}
            delete:
              operationId: endPairing
              tags: [devices]
              summary: End the pairing, if there is one.
              x-scope: owner
              responses:
                "204": {description: There is none.}
                default: {$ref: "#/components/responses/Error"}

          /v1/pairing/decision:
            post:
              operationId: decidePairing
              tags: [devices]
              summary: The user has compared the fingerprint of the device that asks. Without one, nothing happens.
              x-scope: owner
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [accepted]
                      properties:
                        accepted: {type: boolean}
                    examples:
                      declined: {value: {accepted: false}}
              responses:
                "200": {$ref: "#/components/responses/Pairing"}
                default: {$ref: "#/components/responses/Error"}

          /v1/web:
            post:
              operationId: openPage
              tags: [node]
              summary: Serve the page on a port of loopback, and make a login for it.
              description: |
                If the port is open already, only the login is new. It is good once, for a minute.
              x-scope: owner
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      properties:
                        port:
                          description: The port; the usual one, or any that is free, without it.
                          type: integer
                          minimum: 1
                          maximum: 65535
                        inFile:
                          description: |
                            Whether a file in the home directory is to lead a browser there: what a program is given, other users of
                            the machine can read.
                          type: boolean
              responses:
                "201":
                  description: Where the page is.
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/Page"}
                default: {$ref: "#/components/responses/Error"}
            delete:
              operationId: closePage
              tags: [node]
              summary: Close the page's port, and end its logins and sessions.
              x-scope: owner
              responses:
                "204":
                  description: It is closed.
                default: {$ref: "#/components/responses/Error"}

          /v1/login:
            post:
              operationId: logIn
              tags: [node]
              summary: Change a login of the page for a session. On the page's port this needs no session.
              description: |
                The login stands in the page's address as `ID.SECRET`. The secret is not sent: the request proves it, as
                docs/http-api.md says, and so does the answer.
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [login, cnonce, proof]
                      properties:
                        login: {description: The login's id., type: string}
                        cnonce: {$ref: "#/components/schemas/Nonce"}
                        proof: {$ref: "#/components/schemas/Proof"}
              responses:
                "201":
                  description: The session.
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/PageSession"}
                default: {$ref: "#/components/responses/Error"}

          /v1/session:
            get:
              operationId: greet
              tags: [node]
              summary: Have the node prove that it knows a session of the page. On the page's port this needs no session.
              parameters:
                - name: session
                  in: query
                  required: true
                  description: The session's id.
                  schema: {type: string}
                - name: cnonce
                  in: query
                  required: true
                  schema: {$ref: "#/components/schemas/Nonce"}
              responses:
                "200":
                  description: The node knows it.
                  content:
                    application/json:
                      schema: {$ref: "#/components/schemas/PageGreeting"}
                default: {$ref: "#/components/responses/Error"}

          /v1/tokens:
            get:
              operationId: listTokens
              tags: [tokens]
              summary: All tokens, without their secrets.
              x-scope: page
              responses:
                "200":
                  description: The tokens.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/Token"}}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: createToken
              tags: [tokens]
              summary: Make a token for a program. Its text is in this answer and nowhere else.
              x-scope: owner
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [name, scopes]
                      properties:
                        name: {$ref: "#/components/schemas/TokenName"}
                        scopes:
                          type: array
                          minItems: 1
                          items: {$ref: "#/components/schemas/Scope"}
                        to:
                          type: array
                          description: |
                            It may send to these users and conversations only, or insert drafts there. Only with the scopes `send` and
                            `draft`, and not with `all`.
                          items: {type: string}
                        expiresInSeconds:
                          description: How long it works; until it is revoked unless given.
                          $ref: "#/components/schemas/Seconds"
                    examples:
                      reader: {value: {name: dashboard, scopes: [read]}}
              responses:
                "201":
                  description: The token.
                  content:
                    application/json:
                      schema:
                        type: object
                        additionalProperties: false
                        required: [token, details]
                        properties:
                          token: {type: string, description: "What a program shows: `Authorization: Bearer TOKEN`."}
                          details: {$ref: "#/components/schemas/Token"}
                default: {$ref: "#/components/responses/Error"}

          /v1/tokens/{token}:
            parameters:
              - name: token
                in: path
                required: true
                description: A token's name, or its id.
                schema: {type: string, minLength: 1}
            delete:
              operationId: revokeToken
              tags: [tokens]
              summary: End a token at once.
              x-scope: page
              responses:
                "204": {description: It is revoked.}
                default: {$ref: "#/components/responses/Error"}

          /v1/files:
            get:
              operationId: listFiles
              tags: [files]
              summary: The files that messages bring along, those of the last messages first, and the room that files take.
              x-scope: read
              parameters:
                - name: limit
                  in: query
                  schema: {type: integer, minimum: 1, maximum: 1000, default: 50}
              responses:
                "200":
                  description: The files.
                  content: {application/json: {schema: {$ref: "#/components/schemas/FileList"}}}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: addFile
              tags: [files]
              summary: Take in what a file contains now, so that messages can bring it along.
              description: Only on the Unix socket, without a token, because the file is one of the node's host.
              x-scope: owner
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [path]
                      properties:
                        path: {type: string, pattern: "^/", description: A file of the node's host.}
                        name: {type: string, description: What the recipients see; that of the file unless given.}
                        mediaType: {type: string, description: What it is; guessed by its name unless given.}
              responses:
                "201":
                  description: What a message names, to bring it along.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Attachment"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/files/rules:
            get:
              operationId: getFileRules
              tags: [files]
              summary: Which files the node fetches by itself, and how much room all may take.
              x-scope: read
              responses:
                "200": {$ref: "#/components/responses/FileRules"}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: setFileRules
              tags: [files]
              summary: Set the rules for files, in place of all that there were.
              description: |
                Only on the Unix socket, without a token. The first rule that fits a file decides. Where none does, small files are fetched,
                unless a stranger has sent them. A rule that is new is for files that come from now on; one that was there before stays as
                it is.
              x-scope: owner
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [rules]
                      properties:
                        rules:
                          type: array
                          maxItems: 256
                          items:
                            type: object
                            additionalProperties: false
                            required: [decision]
                            properties:
                              decision: {enum: [fetch, ask, refuse]}
                              sender: {type: string, description: A user, named as a recipient is; everybody without it.}
                              mediaType: {type: string, description: "What the sender says that it is: image/png, or image/*."}
                              largest: {type: integer, minimum: 0, description: How large it is at most, in bytes.}
                              folder: {type: string, pattern: "^/", description: "Of fetch: where a copy goes once it is here."}
                        quotaBytes: {type: integer, minimum: 0, description: What all files together may have.}
                        areForWaiting: {type: boolean, default: false, description: Whether rules that are new are also for files whose messages are here already.}
              responses:
                "200": {$ref: "#/components/responses/FileRules"}
                default: {$ref: "#/components/responses/Error"}

          /v1/files/upload:
            post:
              operationId: uploadFile
              tags: [files]
              summary: Take in a content that the request brings, so that messages can bring it along.
              description: |
                The body is the content and is taken in while it comes, so it may be as large as a file may be. With a token, too: whoever
                may send or insert drafts may bring along what they have themselves. At most 32 at once. What a token with limited scopes has
                uploaded and no message brings along yet has at most 256 MiB, or 16 GiB where it may send; more is `storeFull`.
              x-scope: draft
              parameters:
                - name: name
                  in: query
                  required: true
                  description: What the recipients see.
                  schema: {type: string, minLength: 1, maxLength: 255}
                - name: mediaType
                  in: query
                  description: What it is; guessed by its name unless given.
                  schema: {type: string, maxLength: 127}
              requestBody:
                required: true
                content: {application/octet-stream: {}}
              responses:
                "201":
                  description: What a message names, to bring it along.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Attachment"}}}
                default: {$ref: "#/components/responses/Error"}

          /v1/files/{file}:
            parameters: [{$ref: "#/components/parameters/file"}]
            get:
              operationId: getFile
              tags: [files]
              summary: What the node has of a file.
              x-scope: read
              responses:
                "200": {$ref: "#/components/responses/File"}
                default: {$ref: "#/components/responses/Error"}
            delete:
              operationId: removeFile
              tags: [files]
              summary: Remove a content from this disk. As long as somebody else has it, it can be fetched again.
              x-scope: all
              responses:
                "204": {description: It is removed.}
                default: {$ref: "#/components/responses/Error"}

          /v1/files/{file}/content:
            parameters: [{$ref: "#/components/parameters/file"}]
            get:
              operationId: getFileContent
              tags: [files]
              summary: What a file contains.
              description: A file that is not here yet is answered with 409 and `fileMissing`.
              x-scope: read
              parameters:
                - name: name
                  in: query
                  description: |
                    What its sender calls it. `Content-Disposition` then has a name to save it under, which does nothing in a folder: it does
                    not begin with a dot or a dash, and shares of Windows and macOS can hold it. A longer one is cut.
                  schema: {type: string}
              responses:
                "200":
                  description: The content, to be saved and not to be shown in place.
                  content: {application/octet-stream: {}}
                default: {$ref: "#/components/responses/Error"}

          /v1/files/{file}/picture:
            parameters: [{$ref: "#/components/parameters/file"}]
            get:
              operationId: getPicture
              tags: [files]
              summary: A picture, to be shown in place.
              description: |
                Only PNG, JPEG, GIF and WebP, by what the content is and not by what its author says: else 422 and `notAPicture`. A picture
                of more than 64 MiB, or of more than 50 million pixels once it is decoded, is answered with 422 and `pictureTooLarge`.
              x-scope: read
              responses:
                "200":
                  description: The picture.
                  content: {image/png: {}, image/jpeg: {}, image/gif: {}, image/webp: {}}
                default: {$ref: "#/components/responses/Error"}

          /v1/files/{file}/fetch:
            parameters: [{$ref: "#/components/parameters/file"}]
            post:
              operationId: fetchFile
              tags: [files]
              summary: Fetch a file, whatever its size and whoever sent it.
              x-scope: all
              responses:
                "200": {$ref: "#/components/responses/File"}
                default: {$ref: "#/components/responses/Error"}

          /v1/files/{file}/decline:
            parameters: [{$ref: "#/components/parameters/file"}]
            post:
              operationId: declineFile
              tags: [files]
              summary: Do not fetch a file, or not any more. One that is here whole stays.
              x-scope: all
              responses:
                "200": {$ref: "#/components/responses/File"}
                default: {$ref: "#/components/responses/Error"}

          /v1/files/{file}/save:
            parameters: [{$ref: "#/components/parameters/file"}]
            post:
              operationId: saveFile
              tags: [files]
              summary: Write a copy of a file into a folder of the node's host.
              description: |
                Only on the Unix socket, without a token. What is there is not overwritten: the copy is then called `name (2)`, and so on.
              x-scope: owner
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [folder, name]
                      properties:
                        folder: {type: string, pattern: "^/"}
                        name: {type: string, minLength: 1, maxLength: 255}
              responses:
                "201":
                  description: Where the copy is.
                  content:
                    application/json:
                      schema:
                        type: object
                        additionalProperties: false
                        required: [path]
                        properties:
                          path: {type: string}
                default: {$ref: "#/components/responses/Error"}

          /v1/notifications/targets:
            get:
              operationId: listNotificationTargets
              tags: [notifications]
              summary: All targets of notifications, and how they do.
              x-scope: page
              responses:
                "200":
                  description: The targets, by name.
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: "#/components/schemas/NotificationTarget"}}
                default: {$ref: "#/components/responses/Error"}
            post:
              operationId: registerNotificationTarget
              tags: [notifications]
              summary: Register a target, once a test notification got through.
              description: |
                Only a desktop can be registered on the page; the others on the Unix socket, without a token. One test at a time: another
                is answered with 409 and `targetBusy`. A test that does not get through is answered
                with 422 and `targetUnusable`, and nothing is registered.
              x-scope: page
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [kind]
                      properties:
                        kind: {$ref: "#/components/schemas/NotificationTargetKind"}
                        name:
                          description: What its user calls it; its kind, and a number if need be, unless given.
                          $ref: "#/components/schemas/TokenName"
                        command: {$ref: "#/components/schemas/NotificationCommand"}
                        url: {$ref: "#/components/schemas/WebhookURL"}
                    examples:
                      command: {value: {kind: command, command: [/usr/local/bin/announce]}}
                      webhook: {value: {kind: webhook, url: "https://example.org/hook", name: pager}}
              responses:
                "201":
                  description: The target.
                  content:
                    application/json:
                      schema:
                        type: object
                        additionalProperties: false
                        required: [target]
                        properties:
                          target: {$ref: "#/components/schemas/NotificationTarget"}
                          secret:
                            type: string
                            description: "Of a webhook: what its requests are signed with, `whsec_` and a key in base64. It is in this answer and nowhere else."
                default: {$ref: "#/components/responses/Error"}

          /v1/notifications/targets/{target}:
            parameters:
              - name: target
                in: path
                required: true
                schema: {type: string, minLength: 1}
            delete:
              operationId: deregisterNotificationTarget
              tags: [notifications]
              summary: End a target. It is notified of nothing more.
              x-scope: page
              responses:
                "204": {description: It is gone.}
                default: {$ref: "#/components/responses/Error"}

          /v1/notifications/handle:
            post:
              operationId: handleNotification
              tags: [notifications]
              summary: Say what a notification is about, and whether it is news.
              description: |
                A message may be read, or taken back, before its notification is handled. A crash of the node may lead to
                notifications twice: each has the id of its message.
              x-scope: read
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [payload]
                      properties:
                        payload: {type: string, description: "What the target was given, as it was."}
                    examples:
                      test: {value: {payload: '{"type":"test"}'}}
              responses:
                "200":
                  description: What it is about.
                  content:
                    application/json:
                      schema:
                        type: object
                        additionalProperties: false
                        required: [type, isNews]
                        properties:
                          type: {enum: [message, test]}
                          conversationID: {$ref: "#/components/schemas/ID"}
                          messageID: {$ref: "#/components/schemas/MessageID"}
                          index: {type: integer}
                          isNews: {type: boolean, description: "Whether it was neither read, on whichever device, nor taken back."}
                default: {$ref: "#/components/responses/Error"}

          /v1/conversations/{conversation}/notifications:
            parameters: [{$ref: "#/components/parameters/conversation"}]
            post:
              operationId: setNotificationLevel
              tags: [notifications]
              summary: Say of which messages of a conversation the user is notified, on this device.
              x-scope: all
              requestBody:
                required: true
                content:
                  application/json:
                    schema:
                      type: object
                      additionalProperties: false
                      required: [level]
                      properties:
                        level: {$ref: "#/components/schemas/NotificationLevel"}
                    examples:
                      mentions: {value: {level: mentions}}
              responses:
                "200":
                  description: The conversation.
                  content: {application/json: {schema: {$ref: "#/components/schemas/Conversation"}}}
                default: {$ref: "#/components/responses/Error"}

        components:
          securitySchemes:
            token:
              type: http
              scheme: bearer
              description: "`earshot token create NAME --scope read`"

          parameters:
            user:
              name: user
              in: path
              required: true
              description: A name, a name with the beginning of the fingerprint (`bob@3fk9qbmj`), or a key.
              schema: {type: string, minLength: 1}
              example: bob
            file:
              name: file
              in: path
              required: true
              description: The id of a file.
              schema: {$ref: "#/components/schemas/ID"}
            device:
              name: device
              in: path
              required: true
              description: A device's name, its id, or the beginning of that.
              schema: {type: string, minLength: 1}
            conversation:
              name: conversation
              in: path
              required: true
              description: |-
                A conversation's id, `#` and the name of one of many (`%23ops`), or the user of a direct one as in `{user}`. The key
                of a user who was never met names their conversation once something was written to them. Where several have one
                name (409 `ambiguousConversation`), `#ops@alice` is the private one that alice has begun.
              schema: {type: string, minLength: 1}
              example: bob
            message:
              name: message
              in: path
              required: true
              schema: {$ref: "#/components/schemas/MessageName"}
            consumer:
              name: consumer
              in: path
              required: true
              schema: {$ref: "#/components/schemas/NamedConsumer"}
            draft:
              name: draft
              in: path
              required: true
              description: A draft's id, or its beginning, of at least four characters.
              schema: {type: string, minLength: 1}
            idempotencyKey:
              name: Idempotency-Key
              in: header
              description: |
                Names this message, for as long as it is kept: whoever sends it again with the same key gets the same answer. With
                other content it is refused with 409. Each token has keys of its own, and so has the owner: two programs that give
                the same key never meet. A token that is made again under its name has the same keys.
              schema: {type: string, minLength: 1, maxLength: 255}
            limit:
              name: limit
              in: query
              description: How many at most.
              schema: {type: integer, minimum: 1, maximum: 1000, default: 50}

          responses:
            Error:
              description: Nothing was done, for this reason.
              content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}
            Device:
              description: The device as it is now.
              content: {application/json: {schema: {$ref: "#/components/schemas/Device"}}}
            Pairing:
              description: Where the pairing is.
              content: {application/json: {schema: {$ref: "#/components/schemas/Pairing"}}}
            User:
              description: The user as they are now.
              content: {application/json: {schema: {$ref: "#/components/schemas/User"}}}
            File:
              description: What the node has of the file now.
              content: {application/json: {schema: {$ref: "#/components/schemas/File"}}}
            FileRules:
              description: The rules, in the order in which they are tried.
              content: {application/json: {schema: {$ref: "#/components/schemas/FileRules"}}}
            Message:
              description: The message as it is now.
              content: {application/json: {schema: {$ref: "#/components/schemas/Message"}}}
            ChangedMessage:
              description: The message as it is now; for who may not read, its id.
              content:
                application/json:
                  schema:
                    oneOf:
                      - {$ref: "#/components/schemas/Message"}
                      - {$ref: "#/components/schemas/Named"}
            Conversation:
              description: The conversation as it is now.
              content:
                application/json:
                  schema:
                    oneOf:
                      - {$ref: "#/components/schemas/Conversation"}
                      - {$ref: "#/components/schemas/ConversationState"}
            Draft:
              description: The draft as it is now.
              content:
                application/json:
                  schema:
                    oneOf:
                      - {$ref: "#/components/schemas/Draft"}
                      - {$ref: "#/components/schemas/DraftState"}
            Profile:
              description: What the user says of themselves. Texts are empty where they say nothing.
              content: {application/json: {schema: {$ref: "#/components/schemas/Profile"}}}
            NewMessage:
              description: It is on the disk, and is never lost.
              content:
                application/json:
                  schema:
                    oneOf:
                      - {$ref: "#/components/schemas/Message"}
                      - {$ref: "#/components/schemas/MessageState"}

          schemas:
            Page:
              description: Where the page is served.
              type: object
              additionalProperties: false
              required: [address, port]
              properties:
                address:
                  description: With a login in its fragment, which is good once, for a minute.
                  type: string
                port: {type: integer}
                file:
                  description: The path of a file that only the owner can read, and that leads there. It goes away with the login.
                  type: string
                lostPort:
                  description: The port that the page had before, and that another program has now.
                  type: integer
            PageSession:
              description: A new session of a browser. Its key follows from the login.
              type: object
              additionalProperties: false
              required: [session, proof]
              properties:
                session: {description: The session's id., type: string}
                proof: {$ref: "#/components/schemas/Proof"}
            PageGreeting:
              description: The node knows the session.
              type: object
              additionalProperties: false
              required: [nonce, proof]
              properties:
                nonce: {description: "What the proofs of requests are over, until the port is opened again.", type: string}
                proof: {$ref: "#/components/schemas/Proof"}
            Nonce:
              description: Drawn at random by a tab of the page.
              type: string
              pattern: '^[A-Za-z0-9._-]{16,64}$'
            Proof:
              description: HMAC-SHA256, to the base 16.
              type: string
            ID:
              type: string
              description: 32 bytes in Crockford's base32.
              pattern: "^[0-9a-hjkmnp-tv-z]{51}[0g]$"
            MessageID:
              type: string
              description: A message's log, and its number in it.
              pattern: "^[0-9a-hjkmnp-tv-z]{51}[0g]-[1-9][0-9]{0,17}$"
            MessageName:
              type: string
              description: |
                A message's id, or at least four characters of its beginning with its number, as tables show it (`3fk9qbmj-12`).
                If several messages have such an id, the answer is 409, with the whole ids in `suggestions`.
              pattern: "^[0-9a-hjkmnp-tv-z]{4,52}-[1-9][0-9]{0,17}$"
            SessionID: {type: string, description: "16 bytes in Crockford's base32.", pattern: "^[0-9a-hjkmnp-tv-z]{26}$"}
            Summary: {type: string, minLength: 1, maxLength: 1024, description: "At most 1,024 bytes of UTF-8."}
            LayoutText: {type: string, minLength: 1, maxLength: 1024, description: "At most 1,024 bytes of UTF-8."}
            NewLayout:
              type: object
              description: |
                How the message looks where there is room for more than its text. The text has to say what it is about without that:
                not every face shows it. What is left out or empty is not there.
              additionalProperties: false
              properties:
                caption: {type: string, maxLength: 1024, description: What it is about. Each text has at most 1,024 bytes of UTF-8.}
                subcaption: {type: string, maxLength: 1024}
                imageTitle: {type: string, maxLength: 1024, description: "The line at the picture, if there is one."}
                imageSubtitle: {type: string, maxLength: 1024}
                accessibilityLabel: {type: string, maxLength: 1024, description: What a screen reader reads in place of the message.}
                url:
                  type: string
                  maxLength: 2048
                  description: |
                    Where to find what a face cannot show: `http` or `https`, printable ASCII, a host and no user. Nothing fetches it
                    unasked.
                  examples: ["https://example.org/menu"]
            Layout:
              type: object
              description: How the message looks where there is room for more than its text. What it does not have is left out.
              additionalProperties: false
              minProperties: 1
              properties:
                caption: {$ref: "#/components/schemas/LayoutText"}
                subcaption: {$ref: "#/components/schemas/LayoutText"}
                imageTitle: {$ref: "#/components/schemas/LayoutText"}
                imageSubtitle: {$ref: "#/components/schemas/LayoutText"}
                accessibilityLabel:
                  $ref: "#/components/schemas/LayoutText"
                  description: What a screen reader reads in place of the message.
                url: {type: string, maxLength: 2048}
                urlHost: {type: string, description: "The host of `url`, to be shown before it is opened."}
            SessionStep:
              type: object
              description: |
                The message takes the place of the last one of the session, which is shown by its summary from then on. Any
                participant may continue a session. Without an id the message begins one. What goes out later belongs to none.
              additionalProperties: false
              required: [summary]
              properties:
                id: {$ref: "#/components/schemas/SessionID"}
                summary: {$ref: "#/components/schemas/Summary"}
            Mentions:
              type: array
              description: Users whom it is meant for in particular, each a name, a name with the beginning of the fingerprint, or a key.
              maxItems: 64
              items: {type: string}
            Time:
              type: string
              pattern: "^-?[0-9]+-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$"
            Milliseconds: {type: integer, description: Since 1970.}
            EventID: {type: string, pattern: "^[0-9a-f]{16}([.](0|[1-9][0-9]{0,17})){2}$"}
            Seconds: {type: number, minimum: 0.001, maximum: 3153600000}
            Fingerprint: {type: string, pattern: "^([0-9a-z]{4} ){4}[0-9a-z]{4}$"}
            Trust:
              enum: [new, unverified, verified, blocked, conflict]
              description: |
                new: no message was exchanged yet. unverified: the name is pinned to the key. verified: safety numbers
                were compared. blocked: nothing is sent to them or taken from them. conflict: the name is pinned to
                another key.
            State: {enum: [queued, sent, delivered, handled, read, failed]}
            FailureReason:
              enum: [expired, cancelled, blocked, identityChanged, deviceReplaced, removed]
            Scope:
              enum: [draft, read, send, all]
              description: |
                draft: preparing messages that a person sends, and hearing what became of them. read: reading everything but tokens,
                drafts and where notifications go, and the inbox under names of its own. send: sending, and taking back; and what draft
                is good for. all: all of these, and groups, trust, the profile and files.
            TokenName: {type: string, pattern: "^[A-Za-z0-9._-]{1,64}$"}
            ConsumerName: {type: string, pattern: "^[A-Za-z0-9._-]{1,64}$"}
            NamedConsumer:
              type: string
              description: |
                A consumer of the program that asks: each token has names of its own, and so has the owner. The owner, and a token with
                the scope `all`, names one of a token as `TOKEN/NAME`.
              pattern: "^[A-Za-z0-9._/-]{1,129}$"
            InboxCursor: {type: string, pattern: "^[0-9a-f]{16}\\.[0-9]+$"}
            InboxStart:
              type: string
              description: "`now`, `beginning`, or a time in ISO 8601: the first message that is not older."
              default: now
            Consumer:
              type: object
              additionalProperties: false
              required: [name, cursor, lag, createdAt, fruitless, setAsideCount, comingAgain]
              properties:
                name: {$ref: "#/components/schemas/ConsumerName"}
                cursor: {$ref: "#/components/schemas/InboxCursor"}
                lag: {type: integer, minimum: 0, description: How many messages have arrived after that.}
                token:
                  description: The token with which it was made, and to which its name belongs. Left out for the owner's.
                  $ref: "#/components/schemas/TokenName"
                createdAt: {$ref: "#/components/schemas/Time"}
                acknowledgedAt: {$ref: "#/components/schemas/Time"}
                fruitless: {type: integer, minimum: 0, description: How often in a row what is next was handed out in vain.}
                setAsideCount: {type: integer, minimum: 0}
                comingAgain:
                  type: array
                  description: The messages that were set aside and come once more, before all others.
                  items: {$ref: "#/components/schemas/MessageID"}
                lastFailure:
                  type: object
                  description: The last failure that it reported, or for which a message was set aside.
                  additionalProperties: false
                  required: [reason, time]
                  properties:
                    reason: {type: string}
                    time: {$ref: "#/components/schemas/Time"}
            Scheduled:
              type: object
              additionalProperties: false
              required: [id, recipient, text, headers, timeToLiveSeconds, notBefore, createdAt]
              properties:
                id: {type: string}
                recipient:
                  $ref: "#/components/schemas/Party"
                  description: "A user, or a conversation of many, whose name begins with `#`."
                text: {type: string}
                headers: {type: object, additionalProperties: {type: string}}
                layout: {$ref: "#/components/schemas/Layout"}
                timeToLiveSeconds: {type: number}
                notBefore: {$ref: "#/components/schemas/Time"}
                createdAt: {$ref: "#/components/schemas/Time"}
                messageID: {$ref: "#/components/schemas/MessageID", description: What it became. Left out while it waits.}
            Draft:
              type: object
              additionalProperties: false
              required: [id, conversationID, recipient, text, headers, mentions, attachments, timeToLiveSeconds, createdAt]
              properties:
                id: {type: string}
                conversationID: {$ref: "#/components/schemas/ID"}
                recipient:
                  $ref: "#/components/schemas/Party"
                  description: "A user, or a conversation of many, whose name begins with `#`."
                text: {type: string}
                headers: {type: object, additionalProperties: {type: string}}
                mentions: {type: array, items: {$ref: "#/components/schemas/Party"}}
                attachments: {type: array, maxItems: 64, items: {$ref: "#/components/schemas/Attachment"}}
                layout: {$ref: "#/components/schemas/Layout"}
                replyTo: {$ref: "#/components/schemas/MessageID", description: The message that it answers. Left out if it answers none.}
                timeToLiveSeconds: {type: number}
                insertedBy:
                  type: string
                  description: The program that inserted it, by the name of its token or its own. Left out for a person.
                createdAt: {$ref: "#/components/schemas/Time"}
                updatedAt: {$ref: "#/components/schemas/Time", description: Left out if its content was never changed.}
                messageID: {$ref: "#/components/schemas/MessageID", description: What it became. Left out while it waits.}
            IsOverwritten:
              type: boolean
              description: Whether the contents are overwritten in the files already; else the next erasure does it.

            Error:
              type: object
              additionalProperties: false
              required: [error]
              properties:
                error: {$ref: "#/components/schemas/ErrorBody"}
            ErrorBody:
              type: object
              additionalProperties: false
              required: [code, message]
              properties:
                code: {type: string, description: Stable.}
                message: {type: string, description: For people. It may change.}
                parameters: {$ref: "#/components/schemas/ErrorParameters"}
            ErrorParameters:
              type: object
              description: The details, for programs. The code determines which there are.
              additionalProperties: false
              properties:
                detail: {type: string}
                path: {type: string}
                mode: {type: string}
                systemError: {type: integer}
                processID: {type: integer}
                interface: {type: string}
                port: {type: integer}
                name: {type: string, description: "The name, the field or the query item that it is about."}
                userID: {$ref: "#/components/schemas/ID"}
                candidates: {type: array, items: {$ref: "#/components/schemas/ID"}}
                suggestions: {type: array, items: {type: string}}
                messageID: {$ref: "#/components/schemas/MessageID"}
                limit: {type: integer}
                index: {type: integer, description: "Which message of the request it is about, from 0."}
                erasedCount: {type: integer}
                eventID: {$ref: "#/components/schemas/EventID"}

            Party:
              type: object
              additionalProperties: false
              required: [id]
              properties:
                id: {$ref: "#/components/schemas/ID"}
                name: {type: string, description: Left out for a user whom the node does not know.}
            Delivery:
              type: object
              additionalProperties: false
              required: [id, state]
              properties:
                id: {$ref: "#/components/schemas/ID"}
                name: {type: string}
                state: {$ref: "#/components/schemas/State"}
                reason: {$ref: "#/components/schemas/FailureReason"}
                sentAt: {$ref: "#/components/schemas/Time"}
                sentAtMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                deliveredAt: {$ref: "#/components/schemas/Time"}
                deliveredAtMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                handledAt: {$ref: "#/components/schemas/Time"}
                handledAtMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                readAt: {$ref: "#/components/schemas/Time"}
                readAtMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
            Profile:
              type: object
              additionalProperties: false
              required: [friendlyName, attributes, picture, isBot, commands]
              properties:
                friendlyName: {type: string}
                attributes: {type: string, description: A JSON object as text.}
                picture: {type: string, contentEncoding: base64}
                isBot: {type: boolean}
                commands: {type: array, items: {$ref: "#/components/schemas/BotCommand"}}
            BotCommand:
              type: object
              additionalProperties: false
              required: [name, summary, usage]
              properties:
                name: {type: string, description: Without the slash.}
                summary: {type: string, description: "What it does, in a sentence."}
                usage: {type: string, description: "How it is typed: `/remind IN WHAT`."}
            Named:
              type: object
              description: What the request has named, for who may not read. It was done.
              additionalProperties: false
              required: [id]
              properties:
                id: {type: string}
            MessageState:
              type: object
              description: A message that the call itself has written, for who may not read.
              additionalProperties: false
              required: [id, conversationID, recipients]
              properties:
                id: {$ref: "#/components/schemas/MessageID"}
                conversationID: {$ref: "#/components/schemas/ID"}
                recipients:
                  type: array
                  description: The recipients, without their names, and its state for each.
                  items: {$ref: "#/components/schemas/Delivery"}
            ConversationState:
              type: object
              description: A conversation that somebody has begun, joined or left, for who may not read.
              additionalProperties: false
              required: [id, status]
              properties:
                id: {$ref: "#/components/schemas/ID"}
                status: {enum: [invited, joined, left, removed, closed]}
            ScheduledState:
              type: object
              description: A message that waits, for who may not read.
              additionalProperties: false
              required: [id, notBefore, createdAt]
              properties:
                id: {type: string}
                notBefore: {$ref: "#/components/schemas/Time"}
                createdAt: {$ref: "#/components/schemas/Time"}
                messageID: {$ref: "#/components/schemas/MessageID", description: What it became. Left out while it waits.}
            DraftState:
              type: object
              description: A draft, for who may not read. A person may have changed its content.
              additionalProperties: false
              required: [id, conversationID, createdAt]
              properties:
                id: {type: string}
                conversationID: {$ref: "#/components/schemas/ID"}
                insertedBy: {$ref: "#/components/schemas/TokenName"}
                createdAt: {$ref: "#/components/schemas/Time"}
                updatedAt: {$ref: "#/components/schemas/Time", description: Left out if its content was never changed.}
                messageID: {$ref: "#/components/schemas/MessageID", description: What it became. Left out while it waits.}
            SendResults:
              type: object
              additionalProperties: false
              required: [results]
              properties:
                results:
                  type: array
                  description: One for each recipient, in their order.
                  items:
                    type: object
                    additionalProperties: false
                    required: [to]
                    oneOf:
                      - required: [message]
                      - required: [error]
                    properties:
                      to: {type: string, description: The recipient as the request names them.}
                      message:
                        oneOf:
                          - {$ref: "#/components/schemas/Message"}
                          - {$ref: "#/components/schemas/MessageState"}
                      error: {$ref: "#/components/schemas/ErrorBody"}
            Message:
              type: object
              additionalProperties: false
              required:
                - id
                - conversationID
                - sender
                - recipients
                - text
                - isDeleted
                - headers
                - timestamp
                - timestampMilliseconds
                - expiry
                - expiryMilliseconds
                - mentions
                - attachments
                - isEdited
                - isRetracted
                - reactions
              properties:
                id: {$ref: "#/components/schemas/MessageID"}
                conversationID: {$ref: "#/components/schemas/ID"}
                conversationName: {type: string, description: "Of a conversation of many, without the `#`."}
                sender: {$ref: "#/components/schemas/Party"}
                recipients:
                  type: array
                  description: |
                    Those for whom this node knows what has become of it: of a message of its own everybody who belongs to the
                    conversation, or has it; of another one this node's own user.
                  items: {$ref: "#/components/schemas/Delivery"}
                counts:
                  type: object
                  additionalProperties: false
                  required: [recipients, sent, delivered, read, failed]
                  description: |
                    Of a message of this node's own, how many of the recipients have come how far. Each state counts those who have
                    come further, too.
                  properties:
                    recipients: {type: integer, minimum: 0}
                    sent: {type: integer, minimum: 0}
                    delivered: {type: integer, minimum: 0}
                    read: {type: integer, minimum: 0}
                    failed: {type: integer, minimum: 0}
                text: {type: string, description: Empty if the content was erased.}
                isDeleted: {type: boolean, description: Whether the content was erased.}
                headers: {type: object, additionalProperties: {type: string}}
                timestamp: {$ref: "#/components/schemas/Time", description: By the sender's clock.}
                timestampMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                expiry: {$ref: "#/components/schemas/Time", description: When it fails if it is still not delivered.}
                expiryMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                receivedAt: {$ref: "#/components/schemas/Time", description: When a message of somebody else reached this node.}
                receivedAtMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                index:
                  type: integer
                  minimum: 1
                  description: |
                    Its place in the order of arrival, with gaps. Left out where a message was just sent or comes with an event
                    that is not from the journal.
                replyTo: {$ref: "#/components/schemas/MessageID", description: The message that it answers. It need not be here.}
                mentions:
                  type: array
                  description: Users whom it is meant for in particular.
                  items: {$ref: "#/components/schemas/Party"}
                session:
                  type: object
                  additionalProperties: false
                  required: [id, counter, summary, isSuperseded]
                  properties:
                    id: {$ref: "#/components/schemas/SessionID"}
                    counter: {type: integer, minimum: 1, description: Counts the steps of the session.}
                    summary: {$ref: "#/components/schemas/Summary"}
                    isSuperseded: {type: boolean, description: Whether a later message of the session stands.}
                layout: {$ref: "#/components/schemas/Layout"}
                isEdited: {type: boolean, description: "Whether its author gave it another text, which `text` is."}
                isRetracted: {type: boolean, description: "Whether its author took it back. Then text and headers are empty, and there is no layout."}
                attachments: {$ref: "#/components/schemas/Attachments"}
                reactions:
                  type: array
                  description: The emoji that was used first comes first.
                  items:
                    type: object
                    additionalProperties: false
                    required: [emoji, users]
                    properties:
                      emoji: {type: string}
                      users: {type: array, minItems: 1, items: {$ref: "#/components/schemas/Party"}}
            Conversation:
              type: object
              additionalProperties: false
              required: [id, kind, status, participants, unreadCount, notificationLevel]
              properties:
                id: {$ref: "#/components/schemas/ID"}
                kind: {$ref: "#/components/schemas/ConversationKind"}
                uniqueName: {type: string, description: "What a conversation of many is found by, without the `#`."}
                status: {$ref: "#/components/schemas/ParticipantStatus", description: Whether this node's user belongs to it.}
                isAdvertised:
                  type: boolean
                  description: "Of an open conversation: whether linked users who have not joined it are told its name."
                isNameShared:
                  type: boolean
                  description: |
                    Of an open conversation: whether its name means the same one on every other network without a network key.
                friendlyName: {type: string, description: "Of a private conversation: what people call it."}
                attributes: {type: string, description: "Of a private conversation: JSON that its owner has given it."}
                creator: {$ref: "#/components/schemas/Party", description: "Of a private conversation: who has begun it."}
                owner: {$ref: "#/components/schemas/Party", description: "Of a private conversation: who decides about it."}
                givesHistory:
                  type: boolean
                  description: "Of a private conversation: whether who joins is given what was written before."
                participants: {type: array, description: "The invited, too.", items: {$ref: "#/components/schemas/Party"}}
                peer: {$ref: "#/components/schemas/Party", description: The other user of a direct conversation.}
                lastMessage: {$ref: "#/components/schemas/Message"}
                unreadCount: {type: integer, minimum: 0, description: Messages of others that are not read. Erased ones are not among them.}
                firstUnread: {$ref: "#/components/schemas/Message", description: The first of these in the order of time.}
                notificationLevel: {$ref: "#/components/schemas/NotificationLevel"}
            NotificationLevel:
              enum: [all, mentions, none]
              description: "Of which messages the user is notified. mentions: of those that mention the user, or answer a message of theirs."
            NotificationTargetKind: {enum: [desktop, command, webhook]}
            NotificationCommand:
              type: array
              minItems: 1
              description: "Of a command: the program's whole path, and its arguments; at most 2,048 bytes. It gets each notification as JSON on its standard input, and has taken it when it ends with 0."
              items: {type: string}
            WebhookURL:
              type: string
              maxLength: 2048
              description: "Of a webhook: where each notification is posted to, signed as Standard Webhooks 1.0.0 says. It has taken one when it answers with a status from 200 to 299."
            NotificationTarget:
              type: object
              additionalProperties: false
              required: [name, kind, createdAt, lostCount]
              properties:
                name: {$ref: "#/components/schemas/TokenName"}
                kind: {$ref: "#/components/schemas/NotificationTargetKind"}
                command: {$ref: "#/components/schemas/NotificationCommand"}
                url: {$ref: "#/components/schemas/WebhookURL"}
                createdAt: {$ref: "#/components/schemas/Time"}
                deliveredAt: {$ref: "#/components/schemas/Time"}
                failure: {type: string, description: Why it takes nothing now. Left out if it does.}
                failingSince: {$ref: "#/components/schemas/Time"}
                lostCount: {type: integer, minimum: 0, description: How many messages it was not notified of because it did not take them.}
            ConversationKind: {enum: [direct, open, private]}
            FriendlyName:
              type: string
              maxLength: 256
              description: "Of a private conversation: what people call it, at most 256 bytes of UTF-8."
            Attributes:
              type: string
              maxLength: 16384
              description: "Of a private conversation: a JSON object of at most 16 KiB, as text; or nothing."
            ConversationName:
              type: string
              minLength: 1
              maxLength: 64
              description: "1 to 63 bytes of UTF-8 without `@ # , /`, with or without a `#` before it."
            ParticipantStatus: {enum: [invited, joined, left, removed, closed]}
            Participant:
              type: object
              additionalProperties: false
              required: [id, role, status]
              properties:
                id: {$ref: "#/components/schemas/ID"}
                name: {type: string}
                role: {enum: [owner, participant]}
                status: {$ref: "#/components/schemas/ParticipantStatus"}
                since:
                  $ref: "#/components/schemas/Time"
                  description: When the user got the status, by their own clock. Left out in a direct conversation.
                sinceMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                applicationIdentifier:
                  $ref: "#/components/schemas/ID"
                  description: |
                    The identifier of the user that the asking token has for itself: another token has another one, and so has one that is
                    made anew under the same name. Left out for who shows no token, and in events.
            AdvertisedConversation:
              type: object
              additionalProperties: false
              required: [id, uniqueName, users]
              properties:
                id: {$ref: "#/components/schemas/ID"}
                uniqueName: {type: string, description: "Without the `#`."}
                users: {type: array, description: Who tells its name., items: {$ref: "#/components/schemas/Party"}}
            Erasure:
              type: object
              additionalProperties: false
              required: [deletedCount, kept, keptCount, isOverwritten]
              properties:
                deletedCount: {type: integer, minimum: 0}
                kept:
                  type: array
                  description: Own messages that are not delivered yet; of many only some.
                  items: {$ref: "#/components/schemas/MessageID"}
                keptCount: {type: integer, minimum: 0}
                isOverwritten: {$ref: "#/components/schemas/IsOverwritten"}

            User:
              type: object
              additionalProperties: false
              required:
                - id
                - name
                - fingerprint
                - trust
                - isPinned
                - isOnline
                - firstSeen
                - firstSeenMilliseconds
                - lastSeen
                - lastSeenMilliseconds
              properties:
                id: {$ref: "#/components/schemas/ID"}
                name: {type: string}
                fingerprint: {$ref: "#/components/schemas/Fingerprint"}
                trust: {$ref: "#/components/schemas/Trust"}
                isPinned: {type: boolean, description: Whether the name belongs to this key here.}
                claimedName:
                  type: string
                  description: |
                    What they call themselves now, if that is another name than the one that is pinned to them. They are shown by the pinned
                    one until somebody accepts the other: `POST /v1/users/{user}/trust` with `accept`.
                conflictsWith: {$ref: "#/components/schemas/ID", description: The key to which the name is pinned.}
                isOnline: {type: boolean}
                firstSeen: {$ref: "#/components/schemas/Time"}
                firstSeenMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                lastSeen: {$ref: "#/components/schemas/Time"}
                lastSeenMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
            SafetyNumber:
              type: object
              additionalProperties: false
              required: [user, digits, text]
              properties:
                user: {$ref: "#/components/schemas/User"}
                digits: {type: string, pattern: "^[0-9]{60}$", description: The same on both sides.}
                text: {type: string, description: The digits in groups of five.}
                qr:
                  description: |
                    The digits as a QR code, without the light margin of four squares that goes around it: rows from above, `1` for
                    dark and `0` for light. Left out if there was no memory for it.
                  type: array
                  minItems: 25
                  maxItems: 25
                  items: {type: string, pattern: "^[01]{25}$"}

            Node:
              type: object
              additionalProperties: false
              required:
                - id
                - fingerprint
                - name
                - deviceID
                - version
                - addresses
                - discovery
                - links
                - knownUsers
                - undeliveredMessages
                - undelivered
                - credentialExpiry
                - credentialExpiryMilliseconds
                - otherNetworks
                - dialTargets
              properties:
                id: {$ref: "#/components/schemas/ID"}
                fingerprint: {$ref: "#/components/schemas/Fingerprint"}
                name: {type: string}
                deviceID: {$ref: "#/components/schemas/ID"}
                version: {type: string, description: Of the program that runs the node.}
                port: {type: integer, description: Where peers connect. Left out while the node does not listen.}
                addresses: {type: array, items: {type: string}}
                discovery:
                  type: object
                  additionalProperties: false
                  required: [stack, devices, operations]
                  properties:
                    stack: {enum: [daemon, embedded, other, none, "off", starting]}
                    detail: {type: string}
                    devices: {type: integer, minimum: 0}
                    operations: {type: integer, minimum: 0}
                links:
                  type: array
                  items:
                    type: object
                    additionalProperties: false
                    required: [user, deviceID, isOutbound, establishedAt, establishedAtMilliseconds]
                    properties:
                      user: {$ref: "#/components/schemas/Party"}
                      deviceID: {$ref: "#/components/schemas/ID"}
                      address: {type: string}
                      isOutbound: {type: boolean}
                      establishedAt: {$ref: "#/components/schemas/Time"}
                      establishedAtMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                      clockOffsetMilliseconds: {type: integer}
                knownUsers: {type: integer, minimum: 0}
                undeliveredMessages: {type: integer, minimum: 0}
                undelivered:
                  type: array
                  items:
                    type: object
                    additionalProperties: false
                    required: [user, count]
                    properties:
                      user: {$ref: "#/components/schemas/Party"}
                      count: {type: integer, minimum: 1}
                credentialExpiry: {$ref: "#/components/schemas/Time"}
                credentialExpiryMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                networkTag: {type: string, description: Left out without a network key.}
                otherNetworks: {type: integer, minimum: 0}
                copies:
                  type: array
                  description: Where another node with this device's keys is advertised. Left out where there is none.
                  items: {type: string}
                isRevoked:
                  type: boolean
                  description: >-
                    Whether the user has revoked this device. Nobody links to it then, and whatever it is to write for others is refused
                    with 403 `deviceRevoked`. Left out if not.
                dialTargets: {type: integer, minimum: 0}
            Finding:
              type: object
              additionalProperties: false
              required: [check, severity, what]
              properties:
                check: {type: string}
                severity: {enum: [ok, note, warning, problem]}
                code: {type: string}
                what: {type: string}
                why: {type: string}
                parameters: {$ref: "#/components/schemas/ErrorParameters"}

            Attachments:
              description: Files that the message brings along, in its author's order.
              type: array
              maxItems: 64
              items: {$ref: "#/components/schemas/Attachment"}
            Attachment:
              type: object
              additionalProperties: false
              required: [fileID, name, mediaType, byteCount]
              properties:
                fileID: {$ref: "#/components/schemas/ID", description: What it contains. Equal contents have equal ids.}
                name: {type: string, minLength: 1, maxLength: 255, description: What its author calls it.}
                mediaType:
                  type: string
                  minLength: 3
                  maxLength: 127
                  description: "What it is, as its author says: nobody has checked that."
                byteCount: {type: integer, minimum: 0, maximum: 1099511627776}
            File:
              type: object
              additionalProperties: false
              required: [id, state, byteCount]
              properties:
                id: {$ref: "#/components/schemas/ID"}
                state:
                  enum: [waiting, fetching, held, declined, failed]
                  description: |
                    `waiting`: it is fetched when somebody asks for it. `fetching`: it is fetched as soon as somebody who has it is there.
                byteCount: {type: integer, minimum: 0}
                receivedBytes: {type: integer, minimum: 0, description: "Of one that is fetched: how much of it is here."}
                reason: {type: string, description: "Of one that has failed: why it cannot be kept."}
                savedPath: {type: string, description: "In an event: where a rule has put a copy."}
                saveFailure: {type: string, description: "In an event: why a rule's copy could not be put into its folder. It is tried again."}
            FileList:
              type: object
              additionalProperties: false
              required: [files, heldCount, heldBytes, freeBytes]
              properties:
                files: {type: array, maxItems: 1000, items: {$ref: "#/components/schemas/SharedFile"}}
                heldCount: {type: integer, minimum: 0, description: How many contents are here.}
                heldBytes: {type: integer, minimum: 0}
                quotaBytes: {type: integer, minimum: 0, description: What all files together may have. Left out without a quota.}
                freeBytes: {type: integer, minimum: 0, description: What the disk has left for the node.}
            SharedFile:
              type: object
              additionalProperties: false
              required: [fileID, name, mediaType, byteCount, messageID, conversationID, sender, state]
              properties:
                fileID: {$ref: "#/components/schemas/ID"}
                name: {type: string, minLength: 1, maxLength: 255, description: What its author calls it.}
                mediaType: {type: string, minLength: 3, maxLength: 127, description: "What it is, as its author says."}
                byteCount: {type: integer, minimum: 0, maximum: 1099511627776}
                messageID: {$ref: "#/components/schemas/MessageID"}
                conversationID: {$ref: "#/components/schemas/ID"}
                sender: {$ref: "#/components/schemas/Party"}
                state: {enum: [waiting, fetching, held, declined, failed]}
                receivedBytes: {type: integer, minimum: 0}
                reason: {type: string}
                owedCopies:
                  type: array
                  maxItems: 256
                  description: Copies that rules owe to folders. They are tried again. Left out without one.
                  items:
                    type: object
                    additionalProperties: false
                    required: [folder]
                    properties:
                      folder: {type: string}
                      reason: {type: string, description: Why the folder did not take it. Left out if that was not tried yet.}
            FileRules:
              type: object
              additionalProperties: false
              required: [rules]
              properties:
                rules:
                  type: array
                  maxItems: 256
                  items:
                    type: object
                    additionalProperties: false
                    required: [decision]
                    properties:
                      decision:
                        enum: [fetch, ask, refuse]
                        description: |
                          `fetch`: they are fetched when their message comes. `ask`: they wait. `refuse`: as if each had been declined.
                      sender: {$ref: "#/components/schemas/Party"}
                      mediaType: {type: string}
                      largest: {type: integer, minimum: 0}
                      folder: {type: string}
                      folderProblem: {type: string, description: Why copies cannot be put there now. Left out if they can.}
                quotaBytes: {type: integer, minimum: 0}

            Device:
              type: object
              additionalProperties: false
              required: [id, fingerprint, isPrimary, isThisDevice, isOnline, isRevoked]
              properties:
                id: {$ref: "#/components/schemas/ID"}
                name: {type: string, description: Left out for a device that has none.}
                fingerprint: {type: string}
                isPrimary: {type: boolean, description: Whether it holds the identity.}
                isThisDevice: {type: boolean}
                isOnline: {type: boolean}
                isRevoked: {type: boolean}
                credentialEnd: {$ref: "#/components/schemas/Time"}
                lastSeen: {$ref: "#/components/schemas/Time", description: Left out for this device.}

            PairingState: {enum: [none, waiting, asking, accepted, done, failed]}
            Pairing:
              type: object
              additionalProperties: false
              required: [state]
              properties:
                state: {$ref: "#/components/schemas/PairingState"}
                deviceID: {$ref: "#/components/schemas/ID", description: Of the new device once it has shown that it has the code.}
                deviceName: {type: string}
                fingerprint: {type: string}
                reason: {type: string, description: Why it failed.}

            Token:
              type: object
              additionalProperties: false
              required: [id, name, scopes, createdAt]
              properties:
                id: {type: string}
                name: {$ref: "#/components/schemas/TokenName"}
                scopes:
                  description: "Those of a token; or `page` for a session of the page, which is none."
                  type: array
                  items: {enum: [draft, read, send, all, page]}
                to:
                  type: array
                  description: "Users and conversations; a conversation's name begins with `#`. Left out for all."
                  items: {$ref: "#/components/schemas/Party"}
                createdAt: {$ref: "#/components/schemas/Time"}
                expiresAt: {$ref: "#/components/schemas/Time"}
                usedAt: {$ref: "#/components/schemas/Time", description: Left out for one that was not used.}

            Event:
              type: object
              additionalProperties: false
              required: [name]
              description: The name determines which other fields there are.
              properties:
                name: {$ref: "#/components/schemas/EventName"}
                id: {$ref: "#/components/schemas/EventID", description: Left out for events that the journal does not keep.}
                first: {$ref: "#/components/schemas/EventID", description: "Of `eventsGone`: the first event that is left."}
                nodeState: {type: string}
                port: {type: integer}
                message: {$ref: "#/components/schemas/Message"}
                stateChange:
                  type: object
                  additionalProperties: false
                  required: [messageID, conversationID, recipient]
                  properties:
                    messageID: {$ref: "#/components/schemas/MessageID"}
                    conversationID: {$ref: "#/components/schemas/ID"}
                    recipient: {$ref: "#/components/schemas/Delivery"}
                conversationID: {$ref: "#/components/schemas/ID", description: "Of `typingStarted` and `typingEnded`."}
                file: {$ref: "#/components/schemas/File", description: "Of `fileUpdated`."}
                draft:
                  type: object
                  additionalProperties: false
                  required: [id, conversationID]
                  description: Of the events of drafts, without the content. `draftSent` has the `message`, too, unless it is gone, for who may read.
                  properties:
                    id: {type: string}
                    conversationID: {$ref: "#/components/schemas/ID"}
                    insertedBy: {type: string, description: Left out for a person.}
                    messageID: {$ref: "#/components/schemas/MessageID", description: "Of `draftSent`."}
                conversation:
                  type: object
                  additionalProperties: false
                  required: [conversationID, kind, uniqueName, status, changes]
                  description: Of `conversationUpdated`, as it was then.
                  properties:
                    conversationID: {$ref: "#/components/schemas/ID"}
                    kind: {$ref: "#/components/schemas/ConversationKind"}
                    uniqueName: {type: string}
                    status: {$ref: "#/components/schemas/ParticipantStatus", description: Whether this node's user belongs to it.}
                    owner: {$ref: "#/components/schemas/Party", description: "Of a private conversation: who decides about it, and invites."}
                    changes: {type: array, items: {enum: [attributes, decidingDevice, isAdvertised, owner, status]}}
                participant:
                  type: object
                  additionalProperties: false
                  required: [conversationID, participant]
                  description: Of `participantUpdated`. Somebody else was invited, has joined or left, was removed, or owns it now.
                  properties:
                    conversationID: {$ref: "#/components/schemas/ID"}
                    conversationName: {type: string}
                    participant: {$ref: "#/components/schemas/Participant"}
                advertised:
                  $ref: "#/components/schemas/AdvertisedConversation"
                  description: Of `conversationAdvertised`.
                update:
                  type: object
                  additionalProperties: false
                  required: [messageID, conversationID, user, change]
                  description: An entry that changes a message is here. What the message shows now says `getMessage`.
                  properties:
                    messageID: {$ref: "#/components/schemas/MessageID"}
                    conversationID: {$ref: "#/components/schemas/ID"}
                    user: {$ref: "#/components/schemas/Party"}
                    change: {enum: [text, isRetracted, reactions]}
                user: {$ref: "#/components/schemas/User"}
                changes: {type: array, items: {enum: [claimedName, isOnline, name, pin, profile, trust]}}
                conflict:
                  type: object
                  additionalProperties: false
                  required: [name, pinnedID, claimedBy]
                  properties:
                    name: {type: string}
                    pinnedID: {$ref: "#/components/schemas/ID"}
                    claimedBy: {$ref: "#/components/schemas/ID"}
                address: {type: string}
                code: {type: string}
                closeReason: {type: string}
                source: {type: string}
                reason: {type: string}
                aheadMilliseconds: {type: integer}
                forwardMilliseconds: {type: integer, description: "Of `clockSet`: how far forward this machine's clock was set; negative if it was set back."}
                networkTag: {type: string}
                addresses: {type: array, items: {type: string}, description: "Of `deviceCopied`."}
                userID: {$ref: "#/components/schemas/ID", description: "Of `deviceRevoked`: whose device it was."}
                deviceID: {$ref: "#/components/schemas/ID", description: "Of `deviceRevoked`."}
                credential:
                  type: object
                  additionalProperties: false
                  required: [notBefore, notBeforeMilliseconds, notAfter, notAfterMilliseconds]
                  properties:
                    notBefore: {$ref: "#/components/schemas/Time"}
                    notBeforeMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                    notAfter: {$ref: "#/components/schemas/Time"}
                    notAfterMilliseconds: {$ref: "#/components/schemas/Milliseconds"}
                    problem: {enum: [sealed, needsPrimary, failed]}
                    reason: {type: string}
                count: {type: integer}
                renamed:
                  type: array
                  items:
                    type: object
                    additionalProperties: false
                    required: [from, to, count]
                    properties:
                      from: {$ref: "#/components/schemas/MessageID"}
                      to: {$ref: "#/components/schemas/MessageID"}
                      count: {type: integer, minimum: 1}
            EventName:
              enum:
                - nodeStateChanged
                - messageQueued
                - messageReceived
                - messageSent
                - messageDelivered
                - messageHandled
                - messageRead
                - messageFailed
                - typingStarted
                - typingEnded
                - messageUpdated
                - conversationUpdated
                - participantUpdated
                - draftInserted
                - draftUpdated
                - draftSent
                - draftDiscarded
                - conversationAdvertised
                - fileUpdated
                - userDiscovered
                - userUpdated
                - profileUpdated
                - userSubscribed
                - userUnsubscribed
                - identityConflict
                - linkFailed
                - clockSkewed
                - clockSet
                - deviceRevoked
                - otherNetworkSeen
                - deviceCopied
                - credentialWillExpire
                - credentialExpired
                - credentialRenewed
                - credentialNotYetValid
                - storageFailed
                - storageRecovered
                - historyRecovered
                - discoveryUnavailable
                - discoveryAvailable
                - eventsLost
                - eventsGone

        """##
}
