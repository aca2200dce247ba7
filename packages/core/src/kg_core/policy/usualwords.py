"""Words that are usual beside the plainest: everyday things, and what any two developers talk about.

They may name a subject, and more often do than plain words; but other subjects have them too. Written for this project
as general vocabulary, by topic: animals, food, the body, home, travel, nature, work, feelings, numbers, places; the
nouns and verbs of programming, with the languages, formats, protocols and file names that all projects share; and what
else reaches about 4 in a million in running text, whatever it names. The most common words of other languages are in
:mod:`kg_core.policy.scriptwords`.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from kg_core.policy.scriptwords import script_words
from kg_core.policy.stems import stem

_EVERYDAY: Final = """
abbey abolish absent absorb abstract absurd abundance accelerate accent accessory accommodate accomplish accordion
accumulate ache acid acknowledge acorn acre acrobat activist acute adapt addict addition adequate adjacent adjective
adjust administer admiral admission advent adventure adverb adverse advised advisory aerial aesthetic affiliate
aftermath aggregate airborne airline airplane aisle alarm alas alaska alcohol algebra algeria alike allergy alley
allocate alloy almond alphabet altar alter altitude altogether aluminum ambient ambition ambitious ambulance amid
ammunition ample amsterdam amuse analog analyse analyst analytics analyze ancestor anchor angel ankle anonymous ant
antarctica antenna anthem anticipate antique anxious ape apology apparatus appetite appliance apprentice apr apricot
apron arabia arabic arbitrary arch archery architect arctic argentina arise arithmetic armchair armor armour arose
arrogant arrow ash ashamed asparagus aspire assassin assumption assurance astonish astronaut astronomer asylum athens
athlete atlantic atlas atm atom attain attic attorney audit aunt austria authorise automate automobile autonomous
auxiliary ave awake awakening awkward axe axis babysitter bachelor backpack backstage backward backyard bacon bacteria
badge badger badminton baggage bail bait bake baker bakery balcony bald ballad ballet balloon ballot baltic bamboo ban
banana bangkok banjo banker bankrupt bankruptcy baptist barbecue barber barcelona bargain bark barn baron barrel
barrier bartender baseline basement basin basket bat bathtub battery battlefield bay beam bean beard bedtime bee beef
beep beetle beg beggar behave beige belgium belly beloved belt bend beneficial bent berlin berry betray beverage beware
bias bible bicycle bind biography biology birmingham biscuit bishop bizarre blacksmith blade blank blanket bleed blend
blind blink blizzard blond bloom blossom blouse blueberry blunt boast boil boiler bolt boot booth borrow boston bounce
bounty boxer bracelet brackets brake brass brazil breach breakdown breakthrough breast breed breeze brewery bribe bride
brighter broadcast broader broker bronze brooch broom broth browse bruise brussels brutal bubble bucket buckle buddha
buddhist buffalo buffet builder bulb bulgaria bulk bull bullet bully bump bumper bundle bunker bunny burger burglar
burial burnt burst bury bust butcher butterfly buyer buzz bye bypass cab cabbage cabin cable cactus cafe cage cairo
calcium calculate calf california camel canada candle candy cannon canoe canvas canyon captive caravan carbon carbonara
cardboard cargo caribbean carnival carol caroline carpenter carpet carriage carrot cart carton cartoon carve cashier
casino casualty catalog catalogue cater cathedral cattle caution cautious cave cease ceiling celery cellar cello
celsius cement cemetery census centimeter centimetre cereal certainty chalk champagne chaotic charger charitable charm
cheapest cheek cheerful chemist chemistry cherry chess chew chicago chick childhood chile chill chimney chin chip choir
chop chord chorus chunk cigarette cinema cinnamon circular circulate circus citation citizenship civic clap clarify
clarinet clarity clash classification classroom clause clay cleaner clearance clearer clerk cliff climax clinic closet
closure cloudy clown clue clumsy cluster clutch coastal cocktail cocoa coconut coffin cognitive coherent coil coin
coincide cola collapse collar collateral collector collision colombia colony comeback comet comic commence commentary
commodity communism compact companion compartment compass compatible compel competitor complement compliance compliment
comply composer compost compound compress comprise compromise compulsory conceal concede conceive conceptual concession
condemn conductor cone confess confine confront congestion congrats congratulations congregation conjunction conquer
conquest conscience conscious consecutive consensus consolidate constituency constraint consult contaminate contempt
contend continent continental contractor contrary contributor convenience cookie cooler coordinate cop cope copenhagen
copper coral cord corn corpse correlation correspond corridor cosmetic cosmic costume cottage couch cough counsel
counselor counterpart countless countryside coup coupon courtesy courtyard cow coward cowboy cozy crab crack cradle
crane crate crawl crayon credibility creek creep crest cricket crimson crisp critique croatia crocodile crop crow crown
crude cruel cruelty cruise crush crust crystal cuba cube cubic cucumber cuddle cue cuisine cult cultivate cupboard curb
cure curiosity curriculum curry curse curtain curve cushion cyan cyclone cylinder cyprus czech dairy daisy dam damp
dancer danish darker darling dart dash daylight daytime deadline deaf dealer debris decay deceased deck decreasing
decree deed deem deer defect deficiency deficit degraded delegate deliberate delicate delicious delight demon denial
denmark dense dental dentist depict deported depot deprive descend descent dessert destiny detach detain detective
devastate devote diabetes diagnose diagram dial diameter diana diaper diary dice dictate dictionary diesel differential
digest dignity dilemma dim dimension dimensional diminish dine dinosaur dioxide dip diploma diplomat disadvantage
disagree disagreement disastrous disc discharge disciple disclose disclosure discourage discourse discrete disgrace
disguise disgust dishwasher disk dislike dispatch displace disposal disrupt dissolve distant distort distract distress
ditch dive diver dizzy dock doctrine documentary dodge doll dolphin donate donkey donor doodle doom doorbell dose dot
dough downhill downstairs downward dragon drain drastic drawer dread dried drift drill driveway drought drown drum
drunken dub dublin duke dull dump dune durable duration dusk dusty dutch dwarf dwell dye dynasty eager eagle earnest
earring earthquake easel easter echo eclipse ecological economist edible editorial egypt eighteen eighties elaborate
elbow elder elector electrician elegant elephant elevator eleven eliminate embarrass embassy embrace emerge emily
emission emperor emphasis emphasize enact endanger endless endorse endure energetic enhance enlarge enlighten enlist
enrol ensemble enthusiasm enthusiast entity entrepreneur envelope envy epidemic episode equation erase erect erosion
escort espresso essence estonia eternal ethic ethiopia euro evacuate evolve exaggerate exceed exempt exhaust exile
exotic expedition expel expenditure expertise expire explicit explode exploit exterior extinct eyebrow fabric fabulous
factual fade fahrenheit fairy famine fare farewell fascinate fatal fatigue faulty feast feather feminine feminism
feminist fern ferry fertilizer fiancee fiber fibre fiction fierce fifteen filter filthy finland finnish fir firearm
fireplace fireworks fisheries fisherman fist flame flash flavor flavour flaw flee flexibility float flock flood
florence florida flour flu fluffy flush flute fm foam focal fog fold fond foolish footstep forbid forbidden forecast
forehead foremost forge fork forthcoming fortnight fortress fossil foul fountain fourteen fox fraction fracture fragile
fragment freak freed freely freeze freezer freight freshman friction fridge fried frightened fringe frog frontier frost
frustrate fry fulfil fundraising funeral fur furious furnace furnish fury fuse fusion galaxy gallon gallop gamble
garbage garlic gasoline gasp gauge gaze gb gear gem generosity geneva genre gentle gentleman geographic geography
geological geometry gesture gig gigantic giggle ginger glacier glance glasgow glimpse glorious glove glow glue
goalkeeper goat goddess goodbye goose gorilla gospel gossip gown gps grain gram grammar granddaughter grandma
grandmother grandpa grandparents grandson granite grape graph grasp grasshopper grassland gravel greece greed greedy
greek greenhouse greetings grenade grid grief grill grim grin grind grip grocery groom grumpy guild guilt gulf gut
gymnastics habitat hack haiku hail hairy halfway halloween hallway halt ham hamburg hammer hamster handbook handicap
handsome handy hanukkah happily harass harbor harbour hare harmless harmonica harmony harness harp harsh harvest haste
hatch hatred haul haunt haven hawaii hawk hay hazard headache headline heal healthier heap heartbeat heater hebrew
hedge hedgehog heel heir helen helicopter helium helmet helsinki hen herb herd hereby heroic heroine hesitate hierarchy
hike hilarious hindi hinge hint hip hiv hobby hockey holland hollow homeland homework honesty honeymoon hoodie hook hop
hopeless horizon horizontal hormone horn horrific hose hostage hostel hostile hottest howl hub hug hum humble humid
humor humour hundredth hungarian hungary hunger hurricane hurry hybrid hydrogen hygiene hymn hypothesis iceberg iceland
icy identification ideological idle idol illusion illustrate imaginary immature immense imminent immortal immune impair
implication imply impose imprison impulse inability inaccurate inadequate inappropriate incentive inclined inclusion
incompetent incomplete inconsistent inconvenience incorrect incur indefinitely indictment indigenous indigo indirect
indonesia indoor induce inequality inevitable infamous infant infectious inferior inflation inflict influential
infrared ingredient inhabitant inherent inject injustice ink inland inmate inn inning insect insecure insight insist
instability instinct instructor insufficient insulation insulin insult intact intake interfere interim intermediate
interrupt intersection interval intervene intimate intriguing invade invent inventory invisible invoice iran iraq
ireland irish irony irregular irrelevant irrigation irritate isle istanbul itch itinerary ivory ivy jake jam jamaica
janitor jar jaw jealousy jeans jelly jennifer jeremy jerusalem jessica jewel jewelry joan jogging judgement judicial
judiciary judo jug juggle juicy jul julia jumper jun jungle junk jupiter jurisdiction justify juvenile kangaroo karaoke
karate karen kayak keen keeper keith kenya ketchup kettle kg kidnap kidney kilo kilogram kilometer kilometre
kindergarten kitten kneel knight knit knot korea kuwait kyiv lace ladder lagoon lamb lamp landlord landmark lane
lantern lap latch latin latte latvia laughter laundry lava lavender lawn lawsuit leak lean leap lease lebanon lecture
legislature leisure lemon lemonade lend lender lens lesser lethal lettuce lever levy liability liable liar librarian
licence lick lid lifelong lightbulb lighter lightning likelihood likewise lily limb lime limerick limestone linda
linear linen liner lineup linguistic lion lipstick liquid liquor lisbon literacy lithuania litigation litre litter
liver livestock lizard lobby lobster locker lodge logistics london loneliness longtime lorry lottery louder lounge
loyalty lucy luggage lullaby lump lunar lung lure lyrics machinery madrid magenta magician magnet magnificent magnitude
maid mailbox mainland majesty malaysia mammal mandarin mandate mandatory mango manipulate mankind mansion manuscript
maple marathon marble marker marketplace maroon mars marsh marvel mason massacre massage masterpiece maternal
mathematics matrix mattress mayonnaise mb meadow meantime mechanic medal median medieval meditation mediterranean
melbourne melody melon melt membrane memoir memorable mentor merchandise merchant mercury merger merit mermaid merry
messenger messy metabolism metaphor meter methodology metre metro metropolitan mexico michelle microphone microwave
midfielder midst migrant milan mild milestone militant militia millennium millimeter millionaire mindset miner
miniature minimal mint minus miracle misconduct miserable misery mislead missile missionary mist mistaken mistress
misunderstand mixture mob modest modification moist moisture molecular molecule momentum mon monarch monarchy monetary
mongolia monk monkey monopoly monster montreal monument moonlight mop moreover morocco mortal mortgage moscow mosque
mosquito moss moth motorbike motorcycle mound moustache mud muddy mug munich muscular mushroom musician mustard mute
myth naive nancy nap napkin naples narrowly nathan nationalist nationwide nato naughty navy neat necessity necklace
needle needless negligence neighbour neighbourhood neil nepal nephew nerve nest netherlands neural newborn nicer nickel
nickname nicole niece nigeria nightmare nineteen nineteenth nineties nitrogen nobody nod noisy nominate nominee
nonetheless noodle noon norm northeast northwest norway norwegian nostalgia nostril notable notebook notify notion
notorious noun novelist novelty nowadays nun nursery nutrient nutrition oak oat oath obese obey obligation obscure
obsess obstacle occurrence octopus offence offend offset offshore offspring olive omelette onion oops opera oppress opt
optical optimistic oracle orbit orchard orchestra orchid ore organ organism orientation orthodox oslo ostrich otter
ounce outbreak outlet outline outlook outrage outright oval oven overhead overlap overlook overnight oversight
overthrow overtime overweight overwhelm owe owl oxygen pacific painter pajamas pakistan pal pale palestine palm pancake
panda parachute parade paradise paradox parcel pardon paris parish parliamentary parrot parsley partial particle
partisan partition passive passport pasta pastel pastor pastry patent pathetic patriot patrol patron pause pave
pavement payroll pea peach peacock peanut pear pearl peasant peculiar pedal pedestrian peel peer pencil pending penguin
peninsula penny pepper perceive perception perfume perimeter perpetual persecute persist persuade peru pest petal
petrol petty phantom pharmaceutical pharmacy phd phenomenon philippines philosopher philosophy physician picnic pie
pier pierce pig pigeon pile pill pillar pillow pinch pine pineapple pint pioneer pirate pistol pity placement plague
plantation plaque plateau playground playlist plea plead pledge plough plug plum plumber plural pneumonia podcast
podium poetic pointy poison poker poland polar policeman polish pond pony pope poppy porch pork porridge portable
porter portfolio portrayal portugal portuguese pose postal poster postman postpone posture potato potent pottery pouch
prague prairie prank prayer preach preacher precede predator predecessor predict predominantly pregnancy prejudice
preliminary premature premise prescribe prescription preservation prestige prestigious presumably prevalence prey
primitive printer probe proceed processor proclaim profession profound prohibit prolong prone pronoun pronounce
propaganda prophecy prophet proportion prose prosecute prosecutor prospect prosper prostitute protagonist protector
provincial provision provisional proximity psychiatric psychic psychologist pub pudding pulse pump pumpkin punch pupil
puppet puppy purse pursuit puzzle pyramid qualification quantity quarrel quarry quicker quiz quotient rabbit rachel
rack radius rage raid rainbow rainfall rainy raisin ralph ramadan ramp ranch ransom rash raspberry rat rational raven
razor react reactor readily realistic realm rebecca rebel rebellion rebound rebuild receipt recession recipient
reckless reckon recognise reconsider reconstruct recreate recruit rectangle recur recycle reed reef referee referendum
refine refrain refrigerator refuge refund regain regiment rehabilitation rehearsal reign reinforce reliance relieve
reluctant remainder remedy renaissance renew renovate renowned rental repay replay replica reproduce reproduction
resemblance resent resign resin respiratory restless restraint restructure resume resurrect retain retention retreat
retrieve reunion revelation revise revival revolt revolutionary rhetoric rhyme rhythm rib ribbon riddle rider ridge
rifle rigid rigorous rinse riot ripe risky ritual rival rivalry roar roast robber robbery robust rocket rocky rod rogue
roman romance romania rome rookie roommate rooster rope rotary rotate rotten royalty rubber rubbish ruby rug rugby
ruler rum rumor rumour rust ruth ruthless sabbath sabotage sack saddle sage sail sailor saint salad salinity salmon
salon salty salute salvage salvation samuel sanction sanctuary sandal sandra sandwich sandy santa sara sarcastic satire
satisfaction saturn sausage savage saxophone scan scandal scandinavia scar scarce scarf scarlet scary scatter scenario
scenery scent scholar scholarship scissors scoop scooter scorch scotland scout scratch screenplay screw screwdriver
scripture scrub sculptor sculpture seafood seal seatbelt segregation seize seldom selfish seller semester seminar
senator sensation sensible sensor sensory sentiment sep sequel serbia sergeant servant settler seventeen seventh
seventies sew shade shaft shallow shareholder shark sharply shatter shave sheep sheer shelf shepherd sheriff shield
shine shiny shipment shopper shore shortage shotgun shout shove shovel showcase shrimp shrine shrink shuttle shy
siberia sibling sicily sidewalk siege sigh sightseeing silk simplicity simultaneous sincerely singapore singular siren
sixteen sixth sixties skate skateboard skeleton skeptical sketch ski skinny skirt skull slack slam slap slash slaughter
slave sled sleepy sleeve slice slim slipper slippery slogan slope slot slovakia slovenia smack smartphone smash smelly
smoothie snack snail sneak sneaker sneaky sneeze sniff sniper snore snowboard snowman snowy soak soap sober sock socket
soda sofa solidarity solitary solo someday sonnet sophie sophisticated soprano sore sorrow soundtrack soup sour
southeast southwest souvenir sovereign sovereignty spacecraft spaghetti spain spam span spark sparrow spatial spear
specialty specify specimen spectacle spectacular spectator speculate sphere spice spicy spider spike spill spinach
spine spiral spit spite splash splendid spoil spokesman spokesperson sponge sponsorship spontaneous spoon spotlight
spouse spray sprinkle spy squadron squash squat squeeze squirrel stab stack stain staircase stairs stake stale stalk
stall stamp stance standpoint stanza staple stare starve stationary statue statute statutory steadily steak steam steep
steering stem stereotype stern stew sticky stiff stimulate stimulus sting stir stitch stockholm stool storey stove
straightforward strain strait strand strap straw strawberry stray streak strengthen stripe striving stroll stuart
stubborn stumble stylish submarine submission subscribe subscription subsidy substitute subtle suburb suburban subway
successor suitcase summon sunlight sunny sunrise sunset superb superhero superintendent superman supermarket superstar
supervise supervisor supplement supplier supremacy surfing surge surgeon surgical surpass surplus surrender
surveillance survivor sushi suspicion suspicious sustain swallow swamp swan swap sway swear sweat sweater sweden
swedish sweep swell swift swimsuit switzerland sword sydney syllable sympathetic sympathy symphony symptom synthesis
synthetic syria syrup systematic tablet tackle tactic tailor taiwan takeover tale tan tangible tariff tasty tattoo taxi
taxpayer tb teal teammate tease technician teenager telegraph telescope temper temple tempo temporarily tempt
temptation tenant tendency tender tennis tense tent tenth tenure terrace terrain terrific terrified testament testify
testimony texas textbook textile texture thailand thanksgiving thaw theatrical thee theft theological theorem
theoretical therapist therapy thereafter thereby thereof thermal thermometer thesis thief thigh thirst thirsty thirteen
thorough thou thread threshold thrill thriller thrive throne thumb thunder thy tick tickle tide tile timber timer tin
tint tiptoe toast tobacco toddler toe tokyo tolerance toll tomato tomb tonne tooth torch tornado toronto torture toss
tournament towel traction tractor trademark trader tragedy tragic trainer trait traitor tram transcript transmit
transparent transplant trash trauma traumatic tray treason treasure treaty trek tremble tremendous trench triangle
tribal tribe tribunal tricky trillion trilogy triple triumph trivial trombone troop trophy tropical trousers trumpet
trunk trustee tsunami tuba tuck tuition tulip tumor tuna tunisia turbine turkey turkish turnout turnover turquoise
turtle tutor twelfth twentieth twilight tyre ukraine ukrainian umbrella unacceptable unanimous unaware unbelievable
uncertain uncertainty unchanged uncomfortable uncommon unconscious uncover undergo undergraduate undermine underneath
undertake underwater underwear undoubtedly unfair unfamiliar unhappy unhealthy unicorn uniform unify unlawful unlimited
unlock unnecessary unpaid unpleasant unprecedented unreasonable unrelated unrest unsafe unstable unsuccessful unveil
unwanted unwilling upright upstairs upward urge urgent utmost utter vacancy vacant vaccine vacuum vague vain valve
vampire vanilla vanish variation vase vault vegan vegetable vegetarian veil vein velocity velvet venezuela vengeance
venice vent ventilation venus verb verbal verdict verge verification versatile verse vertical vest vet veto viable
vibrant vicinity vicious vienna vietnam viewpoint villain vine vinegar vineyard vintage violate violet violin viral
virtue visa vitamin vivid vocabulary vocal vocational vodka vogue void volatile volcano volleyball voltage voluntary
vomit voter vow voyage vr wade waffle wagon waist waiter waitress wales wallet wallpaper walnut waltz wander warden
wardrobe warehouse warfare warmer warmth warranty warrior warsaw watercolor waterfall wax weaken weary weed weekday
weep weigh welsh whale whatever wheat whereby whichever whip whiskey whisky whisper whistle wholesale wholly wicked
widespread widow wig wilderness willingness willow windy wink wipe wisdom witch withdraw withdrawn wizard wolf woodland
wool workforce workout workplace workshop worm worship worthless worthwhile wow wrap wreck wrestling wrist yacht yarn
yawn yeast yell yield yoga yoghurt yogurt yorkshire yourselves yummy zebra zinc zipper zombie zoo zurich
"""
_CRAFT: Final = """
aarch64 algorithm alias align alpha amd64 android apache api app architecture archive arm64 array ascii assert assign
async attribute auth authentication avatar await backend backlog backup banner base64 batch beta bin binary blurry
boilerplate bool boolean breakpoint browser bsd buffer byte cache callback caller cd cet cfg changelog char checkbox
checkout ci cleanup cli clipboard clone cmd codebase coder compile conf config configuration console const constructor
coverage cpp cpu crc32 crud csharp css csv cursor dao dashboard dataset debug debugger decorator default delete demo
deploy deprecated desktop dev dhcp diff directory disable dist dns doc dockerfile docstring domain dotnet download
dropdown dto duplicate e2e email embed emit encode endpoint enum env exclude executable extract f32 f64 fallback
favicon feedback fetch filename fixture float32 float64 folder font footer format formatter framework frontend ftp
generic gif git github gitlab gmt gnu golang gpl gpu graphql grep grpc gui gzip handler hardcode hdmi header helper
hover html http2 http3 i32 i64 icon ide iframe increment indent index infinite inherit ini init inline input insert
inspect int int16 int32 int64 int8 integer integration interface invalid invoke ios ipv4 ipv6 iso iso8601 iterate java
javascript jpeg jpg js json jsx keyboard keyword kt lambda laptop latency latest layout lib lint linter linux loader
logger login logo logout loop lz4 macos macro makefile margin markdown md md5 merge metadata metric middleware migrate
mock mockup mod modal module mongodb mp3 mp4 mutable mvc mysql namespace nat navbar navigation node nodejs nosql
notification null oauth oauth2 offline optimization orm overflow override overview overwrite padding pagination
paragraph param parameter parse parser password paste patch pdf pipeline pixel pkg placeholder plugin png pointer
popup posix postgres postgresql prefix preview prompt protocol prototype proxy py python query queue ram random rb
readme redirect redis refactor refresh regex regression reload rename render repo repository reset resize resolve
restart restore retina retry reuse revert rewrite rfc rollback router rs rst runner runtime saml schema scope
screenshot scroll scrollbar sdk selector semicolon serialize setup sha sha1 sha256 shortcut sidebar signature simplify
simulator smtp snapshot snippet spec spinner sprint sql sqlite src ssd ssh ssl startup static struct stub stylesheet
subclass subtitle summarise summarize summary suppress svg sync syntax tab tag tai tar tcp tcpip tdd temp template
terminal tester timeout timestamp tls toggle token toml toolbar tooltip trace traceback transform trigger trim
truncate ts tsx tuple tutorial txt typescript typo u32 u64 ubuntu udp uint uint32 uint64 uint8 undefined undo unicode
unused upgrade upload upstream uri url usage usb user username utc utf utf16 utf8 util uuid valid var variable vendor
verbose verify viewport vpn websocket whitespace widget width wifi workaround workflow workspace wrapper x64 x86 xml
yaml yml zip zoom zstd
"""


def is_usual(term: str) -> bool:
    """Whether a term is such a word in any of its forms."""
    return term in _stems()


def usual_words() -> list[str]:
    """The words, each in one of its forms."""
    return [*_EVERYDAY.split(), *_CRAFT.split(), *script_words()]


@cache
def _stems() -> frozenset[str]:
    return frozenset(stem(word) for word in usual_words())
